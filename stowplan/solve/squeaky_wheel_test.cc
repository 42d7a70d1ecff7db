// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/squeaky_wheel.h"

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/solve/greedy_portfolio.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"

namespace stowplan::solve {
namespace {

Bytes PeakOfGreedy(const plan::Problem& problem, Incumbent* incumbent) {
  Work work;
  RunAllGreedy(problem, {}, incumbent, &work);
  return *incumbent->peak();
}

TEST(SqueakyWheelTest, ImprovesOnAllGreedyOrders) {
  int improved = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const plan::Problem problem =
        testing::DenseTiling(60, 100, 100, seed % 2 == 1, seed);
    Incumbent incumbent(problem, 100);
    const Bytes before = PeakOfGreedy(problem, &incumbent);
    Work work;
    RunSqueakyWheel(problem, {}, 100000, &incumbent, &work);
    EXPECT_LE(*incumbent.peak(), before);
    improved += *incumbent.peak() < before ? 1 : 0;
  }
  EXPECT_GE(improved, 5);
}

TEST(SqueakyWheelTest, KeepsToItsBudget) {
  const plan::Problem problem = testing::DenseTiling(200, 500, 500, true, 3);
  Incumbent incumbent(problem, 500);
  Work work;
  RunSqueakyWheel(problem, {}, 999, &incumbent, &work);
  EXPECT_EQ(work.placements, 1000);
}

RC_GTEST_PROP(SqueakyWheelTest, KeepsTheRules, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 40,
                                      .horizon = 20,
                                      .max_size = 50,
                                      .max_alignment = 8,
                                      .pinned_percent = 1,
                                      .gap_percent = 10,
                                      .zero_percent = 5};
  const plan::Problem problem = testing::RandomProblem(shape, seed);
  Incumbent incumbent(problem, plan::LowerBound(problem).bytes);
  PeakOfGreedy(problem, &incumbent);
  // Pins that collide leave nothing to keep.
  RC_PRE(testing::IsValidPlan(problem, *incumbent.plan()));
  Work work;
  RunSqueakyWheel(problem, {}, 10000, &incumbent, &work);
  RC_ASSERT(testing::IsValidPlan(problem, *incumbent.plan()));
}

}  // namespace
}  // namespace stowplan::solve
