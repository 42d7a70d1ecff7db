// SPDX-License-Identifier: Apache-2.0
//
// Large problems: plan the hard part with care and pour the rest around it.
//
// In a large problem few sections are nearly full, and only the buffers that
// are live there decide about the peak. They are the core. It is solved on
// its own by all greedy orders; all other buffers are then placed by one
// sweep in order of birth. Where that comes out above the core's peak, the
// sections in question join the core, and so on.
//
//   load
//     |      .*.             ---- bound
//     | ....*...*........*.. ---- 3/4 of it: sections above make the core
//     |*    the rest      *
//     +--------------------> section
#pragma once

#include "stowplan/plan/problem.h"
#include "stowplan/solve/incumbent.h"
#include "stowplan/solve/options.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::solve {

// Offers the plans that it finds. Each round costs as much as the greedy
// orders on the core and one sweep over all, O(n * holes).
void RunCore(const plan::Problem& problem, const Options& options,
             Incumbent* incumbent, Work* work);

}  // namespace stowplan::solve
