// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/solve.h"

#include <optional>
#include <stop_token>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/plan/validate.h"
#include "stowplan/testing/problem_builder.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::LiveRange;
using plan::Plan;
using plan::Problem;
using testing::MakeBuffer;
using testing::MakeProblem;

Outcome SolveWith(const Problem& problem, Solver solver) {
  Options options;
  options.solver = solver;
  return Solve(problem, options).value();
}

// Three tensors, each read by the operator that follows its writer.
Problem Chain() {
  return MakeProblem({MakeBuffer(64, {0, 2}, 64), MakeBuffer(128, {1, 3}, 64),
                      MakeBuffer(64, {2, 4}, 64)});
}

// Seven tensors of a small graph for which greedy by size is 48 % off.
Problem GreedyGap() {
  struct Row {
    Bytes size;
    plan::Step first, last;
  };
  std::vector<Buffer> buffers;
  for (const Row& row :
       {Row{40960, 2, 3}, Row{98304, 0, 1}, Row{57344, 2, 3}, Row{57344, 1, 2},
        Row{24576, 3, 4}, Row{49152, 1, 2}, Row{73728, 3, 4}}) {
    buffers.push_back(MakeBuffer(
        row.size, LiveRange::FromInclusive(row.first, row.last), 64));
  }
  return MakeProblem(std::move(buffers));
}

TEST(SolveTest, GivesTheWorkedExampleOfTheFieldItsKnownOffsets) {
  for (const SolverInfo& info : Solvers()) {
    const Outcome outcome = SolveWith(Chain(), info.solver);
    EXPECT_EQ(outcome.peak, 192) << info.name;
    EXPECT_EQ(outcome.verdict, Verdict::kOptimal) << info.name;
  }
  EXPECT_EQ(SolveWith(Chain(), Solver::kFirstFit).plan, (Plan{{0, 64, 0}}));
}

TEST(SolveTest, ClosesTheGapThatGreedyBySizeLeaves) {
  const Problem problem = GreedyGap();
  const Outcome greedy = SolveWith(problem, Solver::kGreedyBySize);
  EXPECT_EQ(greedy.peak, 303104);
  EXPECT_EQ(greedy.verdict, Verdict::kFeasible);
  for (Solver solver : {Solver::kPortfolio, Solver::kExact}) {
    const Outcome outcome = SolveWith(problem, solver);
    EXPECT_EQ(outcome.peak, 204800);
    EXPECT_EQ(outcome.lower_bound, 204800);
    EXPECT_EQ(outcome.verdict, Verdict::kOptimal);
    EXPECT_EQ(outcome.proof, Proof::kLoad);
  }
}

TEST(SolveTest, PlansNothingForNoBuffers) {
  const Outcome outcome = SolveWith(Problem(), Solver::kPortfolio);
  EXPECT_EQ(outcome.peak, 0);
  EXPECT_EQ(outcome.verdict, Verdict::kOptimal);
}

TEST(SolveTest, SaysInfeasibleOnlyWithAProof) {
  const std::vector<Buffer> buffers = {MakeBuffer(2, {0, 2}),
                                       MakeBuffer(2, {1, 3})};
  const Outcome no = SolveWith(MakeProblem(buffers, 3), Solver::kPortfolio);
  EXPECT_EQ(no.verdict, Verdict::kInfeasible);
  EXPECT_EQ(no.lower_bound, 4);
  EXPECT_EQ(no.peak, 4) << "the best plan over the capacity is kept";
  EXPECT_EQ(SolveWith(MakeProblem(buffers, 4), Solver::kPortfolio).verdict,
            Verdict::kOptimal);
}

TEST(SolveTest, SaysUnknownWhenAGreedyPlanDoesNotFit) {
  const Problem problem = MakeProblem(GreedyGap().buffers(), 250000);
  const Outcome greedy = SolveWith(problem, Solver::kGreedyBySize);
  EXPECT_EQ(greedy.verdict, Verdict::kUnknown);
  EXPECT_EQ(greedy.peak, 303104);
  EXPECT_EQ(SolveWith(problem, Solver::kPortfolio).verdict, Verdict::kOptimal);
}

TEST(SolveTest, SaysInfeasibleWhenPinsCollide) {
  const Problem problem =
      MakeProblem({MakeBuffer(1, {0, 1}), MakeBuffer(4, {0, 2}, 1, 0),
                   MakeBuffer(4, {1, 3}, 1, 2)});
  for (const SolverInfo& info : Solvers()) {
    const Outcome outcome = SolveWith(problem, info.solver);
    EXPECT_EQ(outcome.verdict, Verdict::kInfeasible) << info.name;
    EXPECT_EQ(outcome.proof, Proof::kPins) << info.name;
    EXPECT_TRUE(outcome.plan.offsets.empty()) << info.name;
  }
}

TEST(SolveTest, KeepsAWarmStartThatNothingBeats) {
  const Problem problem =
      MakeProblem({MakeBuffer(3, {0, 2}), MakeBuffer(2, {1, 3})});
  Options options;
  options.warm_start = Plan{{2, 0}};
  const Outcome outcome = Solve(problem, options).value();
  EXPECT_EQ(outcome.plan, (Plan{{2, 0}}));
  EXPECT_EQ(outcome.solver, "warm_start");
}

TEST(SolveTest, RefusesAWarmStartThatBreaksARule) {
  Options options;
  options.warm_start = Plan{{0, 0, 0}};
  const auto refused = Solve(Chain(), options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(refused.error().where, "warm start");
}

TEST(SolveTest, RefusesOptionsThatMakeNoSense) {
  Options options;
  options.threads = 0;
  EXPECT_FALSE(Solve(Chain(), options).has_value());
  options = {};
  options.effort = -1;
  EXPECT_FALSE(Solve(Chain(), options).has_value());
}

TEST(SolveTest, AnswersWithItsBestPlanWhenCancelledAtOnce) {
  std::stop_source source;
  source.request_stop();
  Options options;
  options.cancel = source.get_token();
  const Outcome outcome = Solve(GreedyGap(), options).value();
  EXPECT_EQ(plan::Validate(GreedyGap(), outcome.plan), std::nullopt);
  EXPECT_EQ(outcome.work.nodes, 0);
}

TEST(SolveTest, AnswersWithItsBestPlanWithoutAnyEffort) {
  Options options;
  options.effort = 0;
  const Outcome outcome = Solve(GreedyGap(), options).value();
  EXPECT_EQ(plan::Validate(GreedyGap(), outcome.plan), std::nullopt);
  EXPECT_GE(outcome.peak, 204800);
}

TEST(SolverTest, ReadsTheNamesThatItPrints) {
  for (const SolverInfo& info : Solvers()) {
    EXPECT_EQ(ParseSolver(info.name).value(), info.solver);
    EXPECT_EQ(ToString(info.solver), info.name);
  }
  const auto unknown = ParseSolver("magic");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_NE(unknown.error().remedy.find("large_first"), std::string::npos);
}

}  // namespace
}  // namespace stowplan::solve
