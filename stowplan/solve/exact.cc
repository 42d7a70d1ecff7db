// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/exact.h"

#include <algorithm>
#include <limits>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/plan/validate.h"
#include "stowplan/solve/search_budget.h"
#include "stowplan/solve/search_disjunction.h"

namespace stowplan::solve {
namespace {

ExactOutcome Begin(const plan::Problem& problem, const ExactOptions& options) {
  ExactOutcome outcome;
  outcome.lower_bound =
      std::max(options.lower_bound, plan::LowerBound(problem).bytes);
  if (options.incumbent && !plan::Validate(problem, *options.incumbent)) {
    outcome.plan = options.incumbent;
    outcome.peak = plan::Peak(problem, *options.incumbent);
  }
  return outcome;
}

// The highest peak that is still of use.
Bytes Ceiling(const plan::Problem& problem, const ExactOutcome& outcome) {
  Bytes ceiling = problem.capacity().value_or(Bytes{1} << 62);
  if (outcome.plan) ceiling = std::min(ceiling, outcome.peak - 1);
  return ceiling;
}

}  // namespace

ExactOutcome SolveExact(const plan::Problem& problem,
                        const ExactOptions& options) {
  ExactOutcome outcome = Begin(problem, options);
  SearchBudget budget(options.max_nodes, options.deadline, options.stop);
  while (outcome.lower_bound <= Ceiling(problem, outcome)) {
    DisjunctionOutcome found =
        SearchDisjunctions(problem, outcome.lower_bound, &budget);
    if (budget.stopped() && !found.plan) break;
    if (found.plan) {
      outcome.plan = std::move(found.plan);
      outcome.peak = plan::Peak(problem, *outcome.plan);
    } else {
      outcome.lower_bound = found.next_bound;
    }
  }
  if (outcome.plan) {
    outcome.lower_bound = std::min(outcome.lower_bound, outcome.peak);
  }
  outcome.exhausted = outcome.lower_bound > Ceiling(problem, outcome);
  outcome.nodes = budget.nodes();
  outcome.search_hash = budget.hash();
  return outcome;
}

}  // namespace stowplan::solve
