// SPDX-License-Identifier: Apache-2.0
//
// Makes a problem smaller without losing an optimum, and a plan of the small
// one whole again.
//
//   Split    where no buffer lives on both sides of a section's edge
//   Drop     buffers that find room under the bound whatever the others do
//   Scale    sizes by their greatest common divisor
//
// docs/algorithms.md ("Reduce") holds the arguments.
#pragma once

#include <optional>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"
#include "stowplan/solve/sections.h"

namespace stowplan::solve {

// A part of a problem that conflicts with no other part. Its bytes are units
// of `scale` bytes: a peak or a bound of the part times `scale` is one of the
// whole problem's buffers in it.
struct Part {
  plan::Problem problem;
  std::vector<Index> ids;  // Of its buffers, in the whole problem; ascending.
  Bytes scale = 1;
};

struct Reduction {
  // Most bytes live at once first.
  std::vector<Part> parts;
  // Placed at their lowest offsets, in this order and after all parts, they
  // end at or below any peak that is at least the bound.
  std::vector<Index> dropped;
};

// `bound` is a lower bound on the peak. The capacity is handed on to the
// parts, rounded down to units. O(n log n) per round of dropping, of which
// there are at most 8.
Reduction Reduce(const plan::Problem& problem, Bytes bound);

// The plan of the whole problem: that of each part, scaled, and what was
// dropped. REQUIRES: one valid plan per part.
plan::Plan Restore(const plan::Problem& problem, const Reduction& reduction,
                   const std::vector<plan::Plan>& plans);

// What `plan` gives to the buffers of `part`, in its units, if its offsets
// are whole units; else nothing.
std::optional<plan::Plan> PlanOfPart(const Part& part, const plan::Plan& plan);

}  // namespace stowplan::solve
