// SPDX-License-Identifier: Apache-2.0
//
// Which value each byte of a memory holds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stowplan/base/bytes.h"

namespace stowplan::engines {

using ValueId = int32_t;
constexpr ValueId kNothing = -1;  // What was never written holds.

// Bytes [begin, end) hold the value's own bytes, of which number 0 lies at
// `origin`. A value copied to a shifted place is so told from itself.
struct HeldBytes {
  Bytes begin = 0;
  Bytes end = 0;
  ValueId value = kNothing;
  Bytes origin = 0;
  ValueId by = kNothing;  // Who put it there: the value itself, or a copy.
};

class ByteMap {
 public:
  // Puts `held` over whatever is there. O(pieces in the range and behind it).
  void Write(const HeldBytes& held);

  // The first stretch of `bytes` that holds something else than the value
  // whose byte 0 lies at bytes.begin; nothing if all of it is there.
  // O(log pieces + pieces in the range).
  std::optional<HeldBytes> FindLoss(ByteRange bytes, ValueId value) const;

  // In ascending order, disjoint; what is not listed was never written.
  const std::vector<HeldBytes>& pieces() const { return pieces_; }

 private:
  size_t FirstEndingAfter(Bytes offset) const;

  std::vector<HeldBytes> pieces_;
};

// What may be relied on if either of two histories happened: what both maps
// say. Where they differ stands what was put there last (the greater `by`),
// which names who took the bytes and which only its own history expects.
ByteMap Merge(const ByteMap& a, const ByteMap& b);

}  // namespace stowplan::engines
