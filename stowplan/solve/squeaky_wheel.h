// SPDX-License-Identifier: Apache-2.0
//
// Greedy planning that learns from its plans: the wheel that squeaks gets the
// grease (Joslin & Clements, "Squeaky wheel" optimization, JAIR 10, 1999).
//
//   order --place--> plan --blame--> buffers that end above the bound
//     ^                                   |
//     '----- those move forward ----------'
//
// What ended too high came too late; it moves to the front of the order, or
// half way there, and all is placed anew.
#pragma once

#include <cstdint>

#include "stowplan/plan/problem.h"
#include "stowplan/solve/incumbent.h"
#include "stowplan/solve/options.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::solve {

// Offers what it finds, until the incumbent is settled or `max_placements`
// buffers have been placed. Each round costs as much as a greedy order.
void RunSqueakyWheel(const plan::Problem& problem, const Options& options,
                     int64_t max_placements, Incumbent* incumbent, Work* work);

}  // namespace stowplan::solve
