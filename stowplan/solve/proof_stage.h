// SPDX-License-Identifier: Apache-2.0
//
// The main stage: greedy plans, and a search that lowers the peak or proves
// that nothing is lower.
//
//   Problem --Reduce--> parts --greedy, SolveExact--> plans --Restore--> plan
//
// The part with most live bytes comes first. What one part proves is the
// level below which no other part has to go.
#pragma once

#include "stowplan/plan/problem.h"
#include "stowplan/solve/incumbent.h"
#include "stowplan/solve/options.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::solve {

// Always offers a plan, even if there is no effort and no time left. Raises
// the incumbent's bound by what is proved with the effort that `work` has left
// over.
void RunProofStage(const plan::Problem& problem, const Options& options,
                   Incumbent* incumbent, Work* work);

}  // namespace stowplan::solve
