// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/core.h"

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/solve/solve.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"

namespace stowplan::solve {
namespace {

TEST(CoreTest, ComesWithinOnePercentOfTheBoundOnLargeProblems) {
  const plan::Problem problem = testing::HeavyTailedProblem(60000, 100, 1);
  const Outcome outcome = Solve(problem, {}).value();
  EXPECT_LE(outcome.peak, outcome.lower_bound + outcome.lower_bound / 100);
}

// Small problems, so that rounds, pins and gaps are met often.
RC_GTEST_PROP(CoreTest, KeepsTheRules, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 40,
                                      .horizon = 60,
                                      .max_size = 50,
                                      .max_alignment = 8,
                                      .pinned_percent = 1,
                                      .gap_percent = 10,
                                      .zero_percent = 5};
  const plan::Problem problem = testing::RandomProblem(shape, seed);
  Options first_fit;
  first_fit.solver = Solver::kFirstFit;
  if (Solve(problem, first_fit)->proof == Proof::kPins) return;
  Incumbent incumbent(problem, plan::LowerBound(problem).bytes);
  Work work;
  RunCore(problem, {}, &incumbent, &work);
  if (!incumbent.plan()) return;  // All buffers were in the core.
  RC_ASSERT(testing::IsValidPlan(problem, *incumbent.plan()));
}

}  // namespace
}  // namespace stowplan::solve
