// SPDX-License-Identifier: Apache-2.0
//
// What Solve answers. "Does not fit" is an answer, not an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"

namespace stowplan::solve {

enum class Verdict {
  kOptimal,     // No valid plan has a lower peak: peak == lower_bound.
  kFeasible,    // Fits, but may not be the lowest.
  kInfeasible,  // No plan fits the capacity, or the pins collide; proved.
  kUnknown,     // No plan that fits was found, and none excluded.
};

// What `lower_bound` rests on.
enum class Proof {
  kLoad,    // One step's live bytes or a pin: plan::LowerBound shows it.
  kSearch,  // Every plan with a lower peak was excluded by search.
  kPins,    // Two pinned buffers collide: there is no plan at all.
};

// Work done, counted in units that do not depend on the machine.
struct Work {
  int64_t nodes = 0;       // Of the search.
  int64_t placements = 0;  // Of greedy solvers: buffers placed.
  uint64_t hash = 0;       // Of the exhausted search, for its certificate.
};

struct Outcome {
  Verdict verdict = Verdict::kUnknown;
  // The best plan found. It keeps every rule of the problem; with kInfeasible
  // and kUnknown it exceeds the capacity. Without offsets only if the pins
  // collide.
  plan::Plan plan;
  Bytes peak = 0;         // Of `plan`.
  Bytes lower_bound = 0;  // Every plan that keeps the rules needs this much.
  Proof proof = Proof::kLoad;
  std::string solver;  // Which one found `plan`: "greedy_by_size", "exact", ...
  Work work;
};

std::string_view ToString(Verdict verdict);
std::string_view ToString(Proof proof);

}  // namespace stowplan::solve
