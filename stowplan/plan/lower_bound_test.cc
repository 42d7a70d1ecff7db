// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/lower_bound.h"

#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"
#include "stowplan/testing/problem_shrinker.h"

namespace stowplan::plan {
namespace {

using testing::MakeBuffer;
using testing::MakeProblem;

std::vector<BufferId> Ids(std::vector<int32_t> indices) {
  std::vector<BufferId> ids;
  for (int32_t index : indices) ids.emplace_back(index);
  return ids;
}

TEST(LowerBoundTest, IsZeroForNoBuffers) {
  const Bound bound = LowerBound(Problem());
  EXPECT_EQ(bound.bytes, 0);
  EXPECT_TRUE(bound.live.empty());
}

TEST(LowerBoundTest, NamesTheFullestStepAndWhoLivesThere) {
  const Bound bound =
      LowerBound(MakeProblem({MakeBuffer(5, {0, 3}), MakeBuffer(4, {2, 6}),
                              MakeBuffer(3, {4, 8}), MakeBuffer(1, {3, 9})}));
  EXPECT_EQ(bound.bytes, 9);
  EXPECT_EQ(bound.step, 2);
  EXPECT_EQ(bound.live, Ids({0, 1}));
}

TEST(LowerBoundTest, CountsABufferThatGapsLeaveWithoutAStep) {
  Buffer buffer = MakeBuffer(7, {0, 4});
  buffer.gaps = {{{0, 4}, std::nullopt}};
  const Bound bound = LowerBound(MakeProblem({buffer}));
  EXPECT_EQ(bound.bytes, 7);
  EXPECT_EQ(bound.live, Ids({0}));
}

TEST(LowerBoundTest, TakesTheEarlierOfEqualSteps) {
  const Bound bound =
      LowerBound(MakeProblem({MakeBuffer(5, {4, 6}), MakeBuffer(5, {1, 2})}));
  EXPECT_EQ(bound.step, 1);
  EXPECT_EQ(bound.live, Ids({1}));
}

TEST(LowerBoundTest, DoesNotCountABufferThatDiesAsAnotherIsBorn) {
  EXPECT_EQ(
      LowerBound(MakeProblem({MakeBuffer(5, {0, 3}), MakeBuffer(4, {3, 6})}))
          .bytes,
      5);
}

TEST(LowerBoundTest, AddsThePaddingOfAllButTheTopmostBuffer) {
  EXPECT_EQ(LowerBound(MakeProblem({MakeBuffer(100, {0, 1}, 64),
                                    MakeBuffer(30, {0, 1}, 64)}))
                .bytes,
            158);
}

TEST(LowerBoundTest, RoundsOnlyToTheLeastAlignment) {
  EXPECT_EQ(LowerBound(MakeProblem({MakeBuffer(10, {0, 1}, 64),
                                    MakeBuffer(10, {0, 1}, 8)}))
                .bytes,
            26);
}

TEST(LowerBoundTest, CountsOnlyTheWindowDuringAGap) {
  const Gap window = {{1, 2}, ByteRange{1, 3}};
  const Problem problem = MakeProblem(
      {MakeBuffer(4, {0, 3}, 1, {}, {window}), MakeBuffer(3, {1, 2})});
  EXPECT_EQ(LowerBound(problem).bytes, 5);
}

TEST(LowerBoundTest, ReachesToTheEndOfAPinnedBuffer) {
  const Bound bound = LowerBound(
      MakeProblem({MakeBuffer(9, {0, 1}), MakeBuffer(2, {5, 6}, 1, 20)}));
  EXPECT_EQ(bound.bytes, 22);
  EXPECT_EQ(bound.step, 5);
  EXPECT_EQ(bound.live, Ids({1}));
}

bool HoldsAgainstBruteForce(const Problem& problem) {
  const Bytes bound = LowerBound(problem).bytes;
  const auto least = testing::LeastPeak(problem, 64);
  return bound >= testing::MaxLoad(problem) && (!least || bound <= *least);
}

RC_GTEST_PROP(LowerBoundTest, IsNeverAboveTheLeastPeak, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = static_cast<int>(seed % 5) + 1,
                                      .max_alignment = 4,
                                      .pinned_percent = 10,
                                      .gap_percent = 30,
                                      .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  if (HoldsAgainstBruteForce(problem)) return;
  RC_FAIL(testing::ToCsv(
      testing::ShrinkProblem(problem, [](const Problem& smaller) {
        return !HoldsAgainstBruteForce(smaller);
      })));
}

RC_GTEST_PROP(MetricsTest, CountsTheSameLiveBytesAsTheOracle, (uint64_t seed)) {
  const testing::RandomShape shape = {
      .buffers = 12, .horizon = 12, .gap_percent = 40, .zero_percent = 10};
  const Problem problem = testing::RandomProblem(shape, seed);
  RC_ASSERT(MaxLiveBytes(problem) == testing::MaxLoad(problem));
}

}  // namespace
}  // namespace stowplan::plan
