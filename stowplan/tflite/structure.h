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

// The first broken place of a model's FlatBuffer, in the order of the schema:
// an offset that leaves the file, a vector that is longer than the file, a
// string without an end, a number that is not aligned. Nothing if it finds
// none.
//
// The library's own verifier decides whether a file is sound but not where it
// is not; this walk by the binary schema is for the error's words alone and
// runs on broken files only. O(file) time.
// REQUIRES: file.size() >= 8.
std::optional<Error> FindBrokenPlace(std::span<const std::byte> file);

}  // namespace stowplan::tflite
