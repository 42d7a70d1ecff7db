// SPDX-License-Identifier: Apache-2.0
//
// The options of custom operators, where they are a FlexBuffers map, which is
// what the public converters write.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stowplan/tflite/options.h"

namespace stowplan::tflite {

// The scalars and strings of the map by name, in ascending order; empty if
// `content` is anything else, breaks the format, or is over 64 KiB. Nested
// values are left out. O(content).
std::vector<Option> ReadCustomOptions(std::span<const std::byte> content);

}  // namespace stowplan::tflite
