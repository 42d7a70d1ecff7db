// SPDX-License-Identifier: Apache-2.0
//
// The last stage: lower the peak by search, or prove that nothing is lower.
//
//   Problem --Reduce--> parts --SolveExact--> plans --Restore--> plan
//
// The part with most live bytes comes first. What one part proves is the
// level below which no other part has to go.
#pragma once

#include "stowplan/plan/problem.h"
#include "stowplan/solve/incumbent.h"
#include "stowplan/solve/options.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::solve {

// Searches for a lower peak than the incumbent's with the effort that `work`
// has left over, and raises its bound by what it proves.
// REQUIRES: the incumbent has a plan.
void RunProofStage(const plan::Problem& problem, const Options& options,
                   Incumbent* incumbent, Work* work);

}  // namespace stowplan::solve
