// SPDX-License-Identifier: Apache-2.0
//
// The exact search for every kind of problem, windows included: it decides,
// pair by pair, which of two conflicting buffers lies above the other.
//
// With windows a buffer may lie above another at one step and below it at the
// next, so that "which lies above" is asked for every step apart. Between
// buffers i and j each step forbids an interval of the difference of their
// offsets, offset(j) - offset(i) in (low, high): the answer is >= high or
// <= low. Once all are decided what is left is a system of differences whose
// least solution, aligned, is the plan.
#pragma once

#include <optional>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"
#include "stowplan/solve/search_budget.h"

namespace stowplan::solve {

struct DisjunctionOutcome {
  std::optional<plan::Plan> plan;  // Its peak is at most the limit.
  // If there is no plan and the budget lasted: the least peak that any plan
  // can still have, above the limit.
  Bytes next_bound = 0;
};

// Asks for a plan of a peak of at most `limit`. O(n^2) space.
DisjunctionOutcome SearchDisjunctions(const plan::Problem& problem, Bytes limit,
                                      SearchBudget* budget);

}  // namespace stowplan::solve
