// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/solve.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/validate.h"
#include "stowplan/solve/core.h"
#include "stowplan/solve/greedy_portfolio.h"
#include "stowplan/solve/incumbent.h"
#include "stowplan/solve/proof_stage.h"

namespace stowplan::solve {
namespace {

using plan::Plan;
using plan::Problem;
using plan::Violation;

// Over this, all buffers in all greedy orders would take many seconds.
constexpr size_t kLarge = 50'000;

// Judges `plan` by every rule but the capacity.
std::optional<Violation> Judge(const Problem& problem, const Plan& plan) {
  std::optional<Violation> broken = plan::Validate(problem, plan);
  if (!broken || broken->rule != Violation::Rule::kCapacity) return broken;
  return plan::Validate(*Problem::Create(problem.buffers()), plan);
}

// Two pinned buffers that collide, by their ids in `problem`.
std::optional<Violation> CollidingPins(const Problem& problem) {
  std::vector<plan::Buffer> pinned;
  std::vector<plan::BufferId> ids;
  Plan plan;
  for (size_t i = 0; i < problem.size(); ++i) {
    const plan::Buffer& buffer = problem.buffers()[i];
    if (!buffer.pinned) continue;
    pinned.push_back(buffer);
    ids.push_back(plan::BufferId::FromIndex(i));
    plan.offsets.push_back(*buffer.pinned);
  }
  if (pinned.empty()) return std::nullopt;
  std::optional<Violation> broken =
      plan::Validate(*Problem::Create(std::move(pinned)), plan);
  if (broken) {
    broken->first = ids[broken->first.index()];
    broken->second = ids[broken->second.index()];
  }
  return broken;
}

// What one step or one buffer proves. A buffer that is never whole at any
// step has to fit the arena all the same.
Bytes FirstBound(const Problem& problem) {
  Bytes bound = plan::LowerBound(problem).bytes;
  for (const plan::Buffer& buffer : problem.buffers()) {
    bound = std::max(bound, buffer.size);
  }
  return bound;
}

Status CheckOptions(const Problem& problem, const Options& options) {
  if (options.effort < 0) {
    return UsageError("effort", "is negative", "give a number of nodes");
  }
  if (options.threads < 1) {
    return UsageError("threads", "is below 1", "give at least 1");
  }
  if (!options.warm_start) return {};
  if (auto broken = Judge(problem, *options.warm_start)) {
    return UsageError("warm start", broken->ToString(),
                      "give a plan of this very problem");
  }
  return {};
}

Verdict VerdictOf(const Problem& problem, const Incumbent& incumbent) {
  if (incumbent.FitsCapacity()) {
    return incumbent.peak() == incumbent.lower_bound() ? Verdict::kOptimal
                                                       : Verdict::kFeasible;
  }
  return incumbent.lower_bound() > *problem.capacity() ? Verdict::kInfeasible
                                                       : Verdict::kUnknown;
}

void Run(const Problem& problem, const Options& options, Incumbent* incumbent,
         Work* work) {
  switch (options.solver) {
    case Solver::kPortfolio:
      if (problem.size() > kLarge) RunCore(problem, options, incumbent, work);
      if (problem.size() <= kLarge || !incumbent->plan()) {
        RunProofStage(problem, options, incumbent, work);
      }
      return;
    case Solver::kExact:
      RunProofStage(problem, options, incumbent, work);
      return;
    default:
      RunGreedy(problem, options.solver, incumbent, work);
  }
}

}  // namespace

Result<Outcome> Solve(const Problem& problem, const Options& options) {
  STOWPLAN_RETURN_IF_ERROR(CheckOptions(problem, options));
  Outcome outcome;
  Incumbent incumbent(problem, FirstBound(problem));
  if (CollidingPins(problem)) {
    outcome.verdict = Verdict::kInfeasible;
    outcome.proof = Proof::kPins;
    outcome.lower_bound = incumbent.lower_bound();
    return outcome;
  }
  if (options.warm_start) incumbent.Offer(*options.warm_start, "warm_start");
  Run(problem, options, &incumbent, &outcome.work);

  if (auto broken = Judge(problem, *incumbent.plan())) {
    return InternalError("solver " + incumbent.solver(), broken->ToString());
  }
  if (*incumbent.peak() < incumbent.lower_bound()) {
    return InternalError("solver " + incumbent.solver(),
                         "its peak is below the proven bound");
  }
  outcome.verdict = VerdictOf(problem, incumbent);
  outcome.plan = *incumbent.plan();
  outcome.peak = *incumbent.peak();
  outcome.lower_bound = incumbent.lower_bound();
  outcome.proof = incumbent.by_search() ? Proof::kSearch : Proof::kLoad;
  outcome.solver = incumbent.solver();
  return outcome;
}

}  // namespace stowplan::solve
