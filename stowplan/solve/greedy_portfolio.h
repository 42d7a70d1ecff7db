// SPDX-License-Identifier: Apache-2.0
//
// Many greedy solvers, one after the other, until one meets the bound.
#pragma once

#include "stowplan/plan/problem.h"
#include "stowplan/solve/incumbent.h"
#include "stowplan/solve/options.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::solve {

// One greedy solver by its name in Solvers().
// REQUIRES: a greedy one.
void RunGreedy(const plan::Problem& problem, Solver solver,
               Incumbent* incumbent, Work* work);

// All greedy orders, by lowest and by best fit, as long as the incumbent is
// not settled and the budget of placements lasts.
void RunAllGreedy(const plan::Problem& problem, const Options& options,
                  Incumbent* incumbent, Work* work);

}  // namespace stowplan::solve
