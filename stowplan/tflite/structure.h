// SPDX-License-Identifier: Apache-2.0
//
// Where a FlatBuffer is broken. Internal to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "stowplan/base/error.h"

namespace stowplan::tflite {

// The first broken place of a model's FlatBuffer, in a walk by the binary
// schema: an offset that leaves the file, a vector that is longer than the
// file, a string without an end, a number or a vector of numbers that is not
// aligned. Nothing if it finds none.
//
// The library's own verifier does not say where a file is broken, and lets
// vectors of 64-bit numbers lie at any multiple of four. O(file) time.
// REQUIRES: file.size() >= 8.
std::optional<Error> FindBrokenPlace(std::span<const std::byte> file);

}  // namespace stowplan::tflite
