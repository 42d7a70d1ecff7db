// SPDX-License-Identifier: Apache-2.0
//
// What the planner places. Several tensors of a graph may share one buffer.
#pragma once

#include <optional>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/id.h"
#include "stowplan/plan/live_range.h"

namespace stowplan::plan {

using BufferId = Id<struct BufferTag>;

// Steps inside a buffer's live range at which it does not need all its bytes.
//
//   offset
//     +---------+         +------+    live = [0, 9), gap = {[3, 6), none}
//     |         |  (free) |      |
//     +---------+         +------+
//     0         3         6      9  step
struct Gap {
  LiveRange range;
  // The bytes of the buffer, counted from its own start, that stay in use
  // during `range`; none means that no byte is.
  std::optional<ByteRange> window;

  friend bool operator==(const Gap&, const Gap&) = default;
};

struct Buffer {
  Bytes size = 0;               // 0 is allowed and conflicts with nothing.
  Bytes alignment = 1;          // Power of two; divides the offset.
  LiveRange live;               // Not empty unless the size is 0.
  std::optional<Bytes> pinned;  // A prescribed offset.
  std::vector<Gap> gaps;        // Sorted, disjoint, inside `live`.

  friend bool operator==(const Buffer&, const Buffer&) = default;
};

}  // namespace stowplan::plan
