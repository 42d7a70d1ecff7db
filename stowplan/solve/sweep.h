// SPDX-License-Identifier: Apache-2.0
//
// First fit in order of birth around buffers that already have their place.
//
// When a buffer is born, the buffers before it that conflict with it are just
// those that are live, so one list of holes that moves along with time is all
// there is to know of them. Buffers with a fixed place that are born later
// are looked up: there are few.
//
//   offset
//     |  +--fixed--+      . . . . .
//     |  +---------+      . fixed .    a newcomer at `now` must fit a hole
//     |  | a |   . . . .  . . . . .    at `now` and miss every fixed buffer
//     |  +---+  |  b  |                that is born while it lives
//     +---------+-----+--------------> step
//               now
#pragma once

#include <vector>

#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"
#include "stowplan/solve/sections.h"

namespace stowplan::solve {

// Gives every buffer without `is_fixed` its lowest offset in `order`, which
// has to be Order::kBirth; the others keep theirs in `plan`.
//
// O(n log n + n * (holes + fixed buffers born during a live range)).
// REQUIRES: buffers that are not fixed have no gaps and no pin; the fixed
// ones do not collide; `is_fixed` and `plan` have one entry per buffer.
void SweepAround(const plan::Problem& problem, const Sections& sections,
                 const std::vector<Index>& order,
                 const std::vector<bool>& is_fixed, plan::Plan* plan);

}  // namespace stowplan::solve
