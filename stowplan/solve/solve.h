// SPDX-License-Identifier: Apache-2.0
//
// The one entry to all packing algorithms.
//
//   Problem --Solve--> Outcome {plan, peak, verdict, lower bound, proof}
//
// docs/algorithms.md tells how each of them works.
#pragma once

#include "stowplan/base/error.h"
#include "stowplan/plan/problem.h"
#include "stowplan/solve/options.h"
#include "stowplan/solve/outcome.h"
#include "stowplan/solve/solver.h"

namespace stowplan::solve {

// Packs `problem` and says how good the plan is. The capacity to keep is that
// of the problem. Every plan has passed plan::Validate.
//
// Deterministic: the same problem and options give the same outcome on every
// machine and for every number of threads, unless a deadline or a
// cancellation cuts the run short.
//
// Errors: kUsage for options that make no sense; kInternal if a solver's plan
// did not pass validation. The greedy solvers take O(n log n) on problems
// with few holes.
Result<Outcome> Solve(const plan::Problem& problem, const Options& options);

}  // namespace stowplan::solve
