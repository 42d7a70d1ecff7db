// SPDX-License-Identifier: Apache-2.0
//
// What has to hold between the answers to problems that are the same in
// another guise.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/solve/solve.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"
#include "stowplan/testing/problem_random.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::Problem;

// Small enough to be proved, with every feature but pins, which may collide.
Problem SmallProblem(uint64_t seed) {
  const testing::RandomShape shape = {.buffers = 8,
                                      .horizon = 8,
                                      .max_size = 9,
                                      .max_alignment = 4,
                                      .gap_percent = 25,
                                      .zero_percent = 5};
  return testing::RandomProblem(shape, seed);
}

std::optional<Bytes> ProvedPeak(const Problem& problem) {
  const Outcome outcome = Solve(problem, {}).value();
  if (outcome.verdict != Verdict::kOptimal) return std::nullopt;
  return outcome.peak;
}

RC_GTEST_PROP(SolvePropertyTest, EverySolverKeepsTheRules, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 30,
                                      .horizon = 20,
                                      .max_size = 50,
                                      .max_alignment = 16,
                                      .pinned_percent = 4,
                                      .gap_percent = 25,
                                      .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  for (const SolverInfo& info : Solvers()) {
    Options options;
    options.solver = info.solver;
    options.effort = 1000;
    const Outcome outcome = Solve(problem, options).value();
    if (outcome.proof == Proof::kPins) return;
    RC_ASSERT(testing::IsValidPlan(problem, outcome.plan));
    RC_ASSERT(outcome.lower_bound <= outcome.peak);
    RC_ASSERT((outcome.lower_bound == outcome.peak) ==
              (outcome.verdict == Verdict::kOptimal));
  }
}

RC_GTEST_PROP(SolvePropertyTest, PermutingIdsLeavesTheOptimum,
              (uint64_t seed)) {
  const Problem problem = SmallProblem(seed);
  std::vector<Buffer> buffers = problem.buffers();
  testing::Random random(seed);
  for (size_t i = buffers.size(); i > 1; --i) {
    std::swap(buffers[i - 1], buffers[static_cast<size_t>(random.Between(
                                  0, static_cast<int64_t>(i) - 1))]);
  }
  RC_ASSERT(ProvedPeak(problem) == ProvedPeak(testing::MakeProblem(buffers)));
}

RC_GTEST_PROP(SolvePropertyTest, ReversingTimeLeavesTheOptimum,
              (uint64_t seed)) {
  const Problem problem = SmallProblem(seed);
  std::vector<Buffer> buffers = problem.buffers();
  auto reverse = [](plan::LiveRange* range) {
    *range = {-range->end, -range->begin};
  };
  for (Buffer& buffer : buffers) {
    reverse(&buffer.live);
    for (plan::Gap& gap : buffer.gaps) reverse(&gap.range);
    std::reverse(buffer.gaps.begin(), buffer.gaps.end());
  }
  RC_ASSERT(ProvedPeak(problem) == ProvedPeak(testing::MakeProblem(buffers)));
}

RC_GTEST_PROP(SolvePropertyTest, ScalingSizesScalesTheOptimum,
              (uint64_t seed)) {
  const Problem problem = SmallProblem(seed);
  std::vector<Buffer> buffers = problem.buffers();
  const Bytes factor = Bytes{1} << (seed % 20);
  for (Buffer& buffer : buffers) {
    buffer.size *= factor;
    buffer.alignment *= factor;
    for (plan::Gap& gap : buffer.gaps) {
      if (gap.window) {
        gap.window =
            ByteRange{gap.window->begin * factor, gap.window->end * factor};
      }
    }
  }
  const std::optional<Bytes> peak = ProvedPeak(problem);
  const std::optional<Bytes> scaled = ProvedPeak(testing::MakeProblem(buffers));
  RC_ASSERT(peak.has_value() == scaled.has_value());
  if (peak) RC_ASSERT(*scaled == *peak * factor);
}

RC_GTEST_PROP(SolvePropertyTest, StretchingTimeLeavesThePeak, (uint64_t seed)) {
  const Problem problem = SmallProblem(seed);
  std::vector<Buffer> buffers = problem.buffers();
  auto stretch = [](plan::LiveRange* range) {
    *range = {range->begin * 1000 + 7, range->end * 1000 + 7};
  };
  for (Buffer& buffer : buffers) {
    stretch(&buffer.live);
    for (plan::Gap& gap : buffer.gaps) stretch(&gap.range);
  }
  const Outcome before = Solve(problem, {}).value();
  const Outcome after = Solve(testing::MakeProblem(buffers), {}).value();
  RC_ASSERT(before.verdict == after.verdict);
  RC_ASSERT(before.peak == after.peak);
  RC_ASSERT(before.lower_bound == after.lower_bound);
}

RC_GTEST_PROP(SolvePropertyTest, ThreadsDoNotChangeTheAnswer, (uint64_t seed)) {
  const Problem problem = testing::DenseTiling(14, 20, 20, true, seed);
  Options options;
  options.effort = 20000;
  const Outcome one = Solve(problem, options).value();
  options.threads = 8;
  const Outcome eight = Solve(problem, options).value();
  RC_ASSERT(one.plan == eight.plan);
  RC_ASSERT(one.lower_bound == eight.lower_bound);
  RC_ASSERT(one.work.nodes == eight.work.nodes);
}

// With a capacity of the optimum it is found, with one byte less excluded.
RC_GTEST_PROP(SolvePropertyTest, TheOptimumIsTheLeastCapacity,
              (uint64_t seed)) {
  const Problem problem = SmallProblem(seed);
  const std::optional<Bytes> peak = ProvedPeak(problem);
  if (!peak || *peak == 0) return;
  const Problem enough = testing::MakeProblem(problem.buffers(), *peak);
  RC_ASSERT(Solve(enough, {})->verdict == Verdict::kOptimal);
  const Problem short_of_one =
      testing::MakeProblem(problem.buffers(), *peak - 1);
  RC_ASSERT(Solve(short_of_one, {})->verdict == Verdict::kInfeasible);
}

// Adding a buffer never lowers the optimum.
RC_GTEST_PROP(SolvePropertyTest, MoreBuffersNeedNoLess, (uint64_t seed)) {
  const Problem problem = SmallProblem(seed);
  std::vector<Buffer> fewer = problem.buffers();
  fewer.pop_back();
  const std::optional<Bytes> more = ProvedPeak(problem);
  const std::optional<Bytes> less = ProvedPeak(testing::MakeProblem(fewer));
  RC_ASSERT(more && less && *less <= *more);
}

uint64_t HashOf(const plan::Plan& plan) {
  uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a, a word at a time.
  for (Bytes offset : plan.offsets) {
    hash = (hash ^ static_cast<uint64_t>(offset)) * 0x100000001B3u;
  }
  return hash;
}

// The figures were taken with GCC 12 on x86-64; every other compiler and
// machine has to come to them too.
TEST(SolvePropertyTest, GreedyPlansAreTheSameEverywhere) {
  const Problem problem = testing::HeavyTailedProblem(2000, 50, 7);
  const std::vector<std::pair<Solver, uint64_t>> expected = {
      {Solver::kFirstFit, 2955105289362956642u},
      {Solver::kGreedyBySize, 2920697426359363280u},
      {Solver::kGreedyBySizeBestFit, 11126110647987133790u},
      {Solver::kGreedyByBreadth, 12595945556300221348u},
      {Solver::kLargeFirst, 11126110647987133790u}};
  for (const auto& [solver, hash] : expected) {
    Options options;
    options.solver = solver;
    EXPECT_EQ(HashOf(Solve(problem, options)->plan), hash) << ToString(solver);
  }
}

TEST(SolvePropertyTest, FillsSmallTilingsCompletely) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Problem problem =
        testing::DenseTiling(12, 30, 30, seed % 2 == 1, seed);
    const Outcome outcome = Solve(problem, {}).value();
    EXPECT_EQ(outcome.peak, 30) << "seed " << seed;
    EXPECT_EQ(outcome.verdict, Verdict::kOptimal) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stowplan::solve
