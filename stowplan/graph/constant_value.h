// SPDX-License-Identifier: Apache-2.0
//
// The content of small integer tensors, which is where shapes come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stowplan/graph/model.h"

namespace stowplan::graph {

// No tensor that decides a shape has more elements than this.
constexpr int64_t kMaxValueElements = 1024;

// True for the integer types of whole bytes and for bool.
bool HoldsIntegers(DType dtype);

// True if a tensor of that type, one of the above, can hold the number.
bool FitsType(DType dtype, int64_t value);

// The elements of a constant, row by row; nothing if it is no constant of
// integers, its content is not at hand or does not fit its shape, or it has
// more than kMaxValueElements. Unsigned 64-bit numbers beyond int64 count as
// not at hand. O(elements).
std::optional<std::vector<int64_t>> IntegersOf(const Tensor& tensor);

// The bytes of such a tensor, little-endian; nothing if a number does not fit
// the type or the type holds no integers.
std::optional<std::vector<std::byte>> BytesOfIntegers(
    DType dtype, std::span<const int64_t> values);

}  // namespace stowplan::graph
