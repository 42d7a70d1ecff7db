// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/reduce.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"

namespace stowplan::solve {
namespace {

using plan::Plan;
using plan::Problem;
using testing::MakeBuffer;
using testing::MakeProblem;

TEST(ReduceTest, SplitsWhereNoBufferCrosses) {
  const Reduction reduction =
      Reduce(MakeProblem({MakeBuffer(3, {0, 2}), MakeBuffer(3, {1, 3}),
                          MakeBuffer(4, {3, 5}), MakeBuffer(5, {4, 6})}),
             9);
  ASSERT_EQ(reduction.parts.size(), 2u);
  EXPECT_EQ(reduction.parts[0].ids, (std::vector<Index>{2, 3}));
  EXPECT_EQ(reduction.parts[1].ids, (std::vector<Index>{0, 1}));
}

TEST(ReduceTest, DividesSizesPinsAndAlignmentsByTheirUnit) {
  const Reduction reduction = Reduce(
      MakeProblem(
          {MakeBuffer(192, {0, 2}, 64), MakeBuffer(192, {0, 2}, 32, 320)}, 600),
      512);
  ASSERT_EQ(reduction.parts.size(), 1u);
  const Part& part = reduction.parts[0];
  EXPECT_EQ(part.scale, 64);
  EXPECT_EQ(part.problem.buffers()[0], MakeBuffer(3, {0, 2}));
  EXPECT_EQ(part.problem.buffers()[1], MakeBuffer(3, {0, 2}, 1, 5));
  EXPECT_EQ(part.problem.capacity(), 9);
}

TEST(ReduceTest, TakesAlignmentsIntoTheUnitThatItDoesNotDivide) {
  const Reduction reduction = Reduce(
      MakeProblem({MakeBuffer(96, {0, 2}, 64), MakeBuffer(96, {0, 2}, 64)}),
      224);
  ASSERT_EQ(reduction.parts.size(), 1u);
  EXPECT_EQ(reduction.parts[0].scale, 32);
  EXPECT_EQ(reduction.parts[0].problem.buffers()[0], MakeBuffer(3, {0, 2}, 2));
}

TEST(ReduceTest, DropsWhatAlwaysFindsRoom) {
  // At most 4 + 2 bytes are taken where the last one lives; of the 20 below
  // the bound some 2 in a row stay free however the two lie.
  const Problem problem = MakeProblem(
      {MakeBuffer(10, {0, 2}), MakeBuffer(10, {1, 3}), MakeBuffer(4, {4, 6}),
       MakeBuffer(2, {5, 7}), MakeBuffer(2, {5, 6})});
  const Reduction reduction = Reduce(problem, 20);
  ASSERT_EQ(reduction.parts.size(), 1u);
  EXPECT_EQ(reduction.parts[0].ids, (std::vector<Index>{0, 1}));
  const Plan plan = Restore(problem, reduction, {Plan{{0, 1}}});
  EXPECT_EQ(plan::Peak(problem, plan), 20);
  EXPECT_TRUE(testing::IsValidPlan(problem, plan));
}

// The optimum of the whole comes out of the optima of the parts.
RC_GTEST_PROP(ReduceTest, KeepsTheOptimum, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 5,
                                      .horizon = 7,
                                      .max_size = 7,
                                      .max_alignment = 2,
                                      .pinned_percent = 5,
                                      .gap_percent = 20,
                                      .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  const std::optional<Bytes> least = testing::LeastPeak(problem, 60);
  if (!least) return;  // The pins collide.
  const Bytes bound = plan::LowerBound(problem).bytes;
  const Reduction reduction = Reduce(problem, bound);
  Bytes of_parts = bound;
  // A buffer that is never whole counts for the peak, but not for the bound.
  for (const plan::Buffer& buffer : problem.buffers()) {
    of_parts = std::max(of_parts, buffer.size);
  }
  for (const Part& part : reduction.parts) {
    const std::optional<Bytes> peak = testing::LeastPeak(part.problem, 60);
    RC_ASSERT(peak.has_value());
    of_parts = std::max(of_parts, *peak * part.scale);
  }
  RC_ASSERT(of_parts == *least);
}

}  // namespace
}  // namespace stowplan::solve
