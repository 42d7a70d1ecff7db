// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/problem_oracle.h"

#include "gtest/gtest.h"
#include "stowplan/testing/problem_builder.h"

namespace stowplan::testing {
namespace {

using plan::Gap;
using plan::Plan;

TEST(ProblemOracleTest, FindsTheLeastPeak) {
  const plan::Problem problem = MakeProblem(
      {MakeBuffer(2, {0, 2}), MakeBuffer(3, {1, 3}), MakeBuffer(2, {2, 4})});
  EXPECT_EQ(LeastPeak(problem, 10), 5);
  EXPECT_EQ(LeastPeak(problem, 4), std::nullopt);
}

TEST(ProblemOracleTest, KeepsPinsAlignmentsAndCapacity) {
  EXPECT_EQ(LeastPeak(MakeProblem({MakeBuffer(1, {0, 1}, 1, 5)}), 10), 6);
  const std::vector<plan::Buffer> aligned = {MakeBuffer(3, {0, 1}, 4),
                                             MakeBuffer(3, {0, 1}, 4)};
  EXPECT_EQ(LeastPeak(MakeProblem(aligned), 10), 7);
  EXPECT_EQ(LeastPeak(MakeProblem(aligned, 6), 10), std::nullopt);
}

TEST(ProblemOracleTest, LetsBuffersUseTheGapsOfOthers) {
  const plan::Buffer other = MakeBuffer(4, {1, 2});
  const Gap none = {{1, 2}, std::nullopt};
  const Gap window = {{1, 2}, ByteRange{0, 1}};
  EXPECT_EQ(
      LeastPeak(MakeProblem({MakeBuffer(4, {0, 3}, 1, 0, {none}), other}), 10),
      4);
  EXPECT_EQ(
      LeastPeak(MakeProblem({MakeBuffer(4, {0, 3}, 1, 0, {window}), other}),
                10),
      5);
}

TEST(ProblemOracleTest, RefusesPlansThatBreakARule) {
  const plan::Problem problem =
      MakeProblem({MakeBuffer(2, {0, 2}), MakeBuffer(2, {1, 3}, 2)}, 4);
  EXPECT_TRUE(IsValidPlan(problem, Plan{{0, 2}}));
  EXPECT_FALSE(IsValidPlan(problem, Plan{{0}})) << "count";
  EXPECT_FALSE(IsValidPlan(problem, Plan{{-1, 2}})) << "negative";
  EXPECT_FALSE(IsValidPlan(problem, Plan{{0, 1}})) << "alignment";
  EXPECT_FALSE(IsValidPlan(problem, Plan{{1, 2}})) << "overlap";
  EXPECT_FALSE(IsValidPlan(problem, Plan{{0, 4}})) << "capacity";
}

}  // namespace
}  // namespace stowplan::testing
