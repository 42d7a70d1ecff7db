// SPDX-License-Identifier: Apache-2.0
//
// Where the bytes of constants are: in the FlatBuffer or behind it.
#pragma once

#include <cstddef>
#include <span>

#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

// Whether the buffer's bytes lie in the file outside the FlatBuffer. The
// format reserves the offsets 0 and 1 for "no"; bytes inside go first.
bool IsOutside(const schema::Buffer& buffer);

// The buffer's bytes, empty for a buffer without content.
// REQUIRES: for a buffer outside, its range was checked against the file.
std::span<const std::byte> ContentOf(std::span<const std::byte> file,
                                     const schema::Buffer& buffer);

}  // namespace stowplan::tflite
