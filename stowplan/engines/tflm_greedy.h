// SPDX-License-Identifier: Apache-2.0
//
// TFLM's default memory planner (GreedyMemoryPlanner): greedy by size, first
// fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stowplan/base/bytes.h"

namespace stowplan::engines {

// What the planner is told of a buffer. Steps are inclusive at both ends, as
// there; -1 is a step too.
struct GreedyBuffer {
  Bytes bytes = 0;  // Rounded up to 16 by the caller.
  int64_t first = -1;
  int64_t last = -1;
  std::optional<Bytes> pinned;  // From an offline plan; never moved.
};

// The offset of each buffer. Pinned buffers are placed first, in their order
// and without any check, on each other if they say so. The others follow by
// size, the largest first and among equals the one added last; each at the
// lowest gap between the buffers placed before that are in use at one of its
// steps, which is large enough, or behind the last of them. O(n^2).
// REQUIRES: the sum of all sizes and pinned offsets fits.
std::vector<Bytes> PlaceGreedily(const std::vector<GreedyBuffer>& buffers);

// The highest end of a buffer. 0 for none.
Bytes TopOf(const std::vector<GreedyBuffer>& buffers,
            const std::vector<Bytes>& offsets);

}  // namespace stowplan::engines
