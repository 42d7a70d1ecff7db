// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/exact.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/plan/validate.h"
#include "stowplan/solve/search_problems_for_test.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::Plan;
using plan::Problem;

void ExpectRight(const Problem& problem, const ExactOptions& options) {
  constexpr Bytes kHighest = 30;
  const std::optional<Bytes> least =
      BruteForce(problem).LeastPeak(problem.capacity().value_or(kHighest));
  const ExactOutcome outcome = SolveExact(problem, options);
  ASSERT_TRUE(outcome.exhausted);
  ASSERT_EQ(outcome.plan.has_value(), least.has_value());
  if (!least) return;
  EXPECT_EQ(Validate(problem, *outcome.plan), std::nullopt);
  EXPECT_EQ(Peak(problem, *outcome.plan), *least);
  EXPECT_EQ(outcome.peak, *least);
  EXPECT_EQ(outcome.lower_bound, *least);
}

TEST(SolveExact, FindsTheLeastPeakOfRandomSmallProblems) {
  for (uint64_t seed = 0; seed < 1200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            (seed & 8) != 0};
    ExpectRight(RandomProblem(&random, features), {});
    if (HasFatalFailure()) return;
  }
}

TEST(SolveExact, FindsTheLeastPeakOfDenseSmallProblems) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            (seed & 8) != 0};
    ExpectRight(DenseProblem(&random, features), {});
    if (HasFatalFailure()) return;
  }
}

TEST(SolveExact, FindsTheSameLeastPeakUnderEveryCombinationOfRules) {
  for (uint64_t seed = 0; seed < 96; ++seed) {
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            false};
    const Problem problem = seed % 3 == 0 ? RandomProblem(&random, features)
                                          : DenseProblem(&random, features);
    std::optional<Bytes> peak;
    for (int bits = 0; bits < 128; ++bits) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " rules " << bits);
      ExactOptions options;
      options.rules = {(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                       (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0,
                       (bits & 64) != 0};
      const ExactOutcome outcome = SolveExact(problem, options);
      ASSERT_TRUE(outcome.exhausted);
      if (!peak) {
        peak = BruteForce(problem).LeastPeak(30).value_or(-1);
      }
      ASSERT_EQ(outcome.plan ? outcome.peak : -1, *peak);
    }
  }
}

TEST(SolveExact, GivesTheSamePlanOnOneThreadAndOnFour) {
  Random random(11);
  for (int k = 0; k < 6; ++k) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 70; ++i) {
      buffers.push_back(RandomBuffer(&random, 14, {true, false, true, false}));
      buffers.back().size = random.Next(1, 60);
    }
    const Problem problem = *Problem::Create(buffers);
    ExactOptions options;
    options.max_nodes = 60'000;
    const ExactOutcome one = SolveExact(problem, options);
    options.threads = 4;
    const ExactOutcome four = SolveExact(problem, options);
    EXPECT_EQ(one.plan, four.plan);
    EXPECT_EQ(one.lower_bound, four.lower_bound);
    EXPECT_EQ(one.nodes, four.nodes);
    EXPECT_EQ(one.search_hash, four.search_hash);
  }
}

TEST(SolveExact, SaysThatNothingFitsUnderTheCapacity) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            (seed & 8) != 0};
    ExpectRight(RandomProblem(&random, features, random.Next(2, 12)), {});
    if (HasFatalFailure()) return;
  }
}

TEST(SolveExact, PlansNothingForNothing) {
  const ExactOutcome outcome = SolveExact(Problem(), {});
  EXPECT_TRUE(outcome.exhausted);
  EXPECT_TRUE(outcome.plan.has_value());
  EXPECT_EQ(outcome.peak, 0);
}

TEST(SolveExact, KeepsTheIncumbentWhenTheBudgetIsNothing) {
  std::vector<Buffer> buffers(2);
  buffers[0].size = 2;
  buffers[0].live = {0, 2};
  buffers[1].size = 3;
  buffers[1].live = {1, 3};
  const Problem problem = *Problem::Create(buffers);
  ExactOptions options;
  options.max_nodes = 0;
  options.incumbent = Plan{{5, 0}};
  const ExactOutcome outcome = SolveExact(problem, options);
  EXPECT_EQ(outcome.plan, options.incumbent);
  EXPECT_EQ(outcome.peak, 7);
  EXPECT_EQ(outcome.lower_bound, 5);
  EXPECT_FALSE(outcome.exhausted);
}

TEST(SolveExact, StopsWhenAskedTo) {
  std::stop_source source;
  source.request_stop();
  std::vector<Buffer> buffers;
  Random random(7);
  for (int i = 0; i < 60; ++i) buffers.push_back(RandomBuffer(&random, 30, {}));
  ExactOptions options;
  options.stop = source.get_token();
  EXPECT_LE(SolveExact(*Problem::Create(buffers), options).nodes, 256);
}

// Windows keep the other searches away, and each pair of buffers is a decision:
// the path is far longer than a stack of calls could be.
TEST(SolveExact, LongPathsOfDecisionsNeedNoDeepStack) {
  plan::Buffer buffer;
  buffer.size = 10;
  buffer.live = {0, 2};
  buffer.gaps = {{{0, 1}, ByteRange{0, 9}}, {{1, 2}, ByteRange{1, 10}}};
  const auto problem =
      plan::Problem::Create(std::vector<plan::Buffer>(400, buffer));
  ASSERT_TRUE(problem.has_value());
  ExactOptions options;
  options.max_nodes = 20'000;
  const ExactOutcome outcome = SolveExact(*problem, options);
  EXPECT_LE(outcome.nodes, 30'000);
  EXPECT_GE(outcome.lower_bound, 400 * 9);
}

}  // namespace
}  // namespace stowplan::solve
