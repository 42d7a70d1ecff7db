// SPDX-License-Identifier: Apache-2.0
//
// The judge of plans. It shares no code with any solver and knows nothing of
// how a plan came to be.
#pragma once

#include <optional>
#include <string>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/buffer.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"

namespace stowplan::plan {

// The first rule that a plan breaks, with the evidence.
struct Violation {
  enum class Rule {
    kCount,      // Not exactly one offset per buffer.
    kRange,      // An offset is negative or its end is over 2^62.
    kAlignment,  // An offset is no multiple of the buffer's alignment.
    kPinned,     // A pinned buffer lies elsewhere.
    kCapacity,   // A buffer ends behind the problem's capacity.
    kOverlap,    // Two buffers share bytes at a step at which both are live.
  };
  Rule rule = Rule::kCount;
  BufferId first;   // The buffer in question; invalid for kCount.
  BufferId second;  // kOverlap only: the other one; first < second.
  Step step = 0;    // kOverlap only: the first step at which they collide.
  ByteRange bytes;  // The arena bytes in question: those that both claim, or
                    // those that `first` claims.

  // One sentence, such as "buffers 0 and 4 both use bytes [64, 128) at step
  // 7".
  std::string ToString() const;

  friend bool operator==(const Violation&, const Violation&) = default;
};

// Nothing if the plan keeps every rule, else a violation. Of several
// overlaps it returns one with the least step. O(n log n).
std::optional<Violation> Validate(const Problem& problem, const Plan& plan);

}  // namespace stowplan::plan
