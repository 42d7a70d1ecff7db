// SPDX-License-Identifier: Apache-2.0
//
// Live ranges: half-open ranges of steps. A step is a position in the order
// in which operators run.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stowplan::plan {

using Step = int64_t;

// The steps [begin, end) at which a buffer's bytes are in use.
struct LiveRange {
  Step begin = 0;
  Step end = 0;

  // From the other convention of the field, in which `last` is still live.
  // REQUIRES: last < 2^63 - 1.
  static constexpr LiveRange FromInclusive(Step first, Step last) {
    return {first, last + 1};
  }

  constexpr bool empty() const { return begin >= end; }
  constexpr bool Contains(Step step) const {
    return begin <= step && step < end;
  }

  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

// Whether some step lies in both, so that the two buffers conflict.
constexpr bool Intersects(const LiveRange& a, const LiveRange& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

}  // namespace stowplan::plan
