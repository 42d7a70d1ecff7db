// SPDX-License-Identifier: Apache-2.0
//
// Sizes and offsets in bytes, and half-open ranges of them.
#pragma once

#include <cstdint>

namespace stowplan {

// A size or an offset in bytes. Signed, so that a difference is a value too.
using Bytes = int64_t;

// The bytes [begin, end) of an arena or of a buffer.
struct ByteRange {
  Bytes begin = 0;
  Bytes end = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

}  // namespace stowplan
