// SPDX-License-Identifier: Apache-2.0
//
// Inputs made from a seed, the same on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "stowplan/base/dtype.h"
#include "stowplan/base/error.h"

namespace stowplan::runtime {

// Fills input `i` (from 0) of a model. Element k is made from the 64-bit
// finaliser of splitmix (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", 2014) of seed + (i * 2^32 + k + 1) *
// 0x9E3779B97F4A7C15: floats in [-1, 1), int8, uint8, int16 and bool by the
// low bits, int32 and int64 in 0..3. Errors: kUsage for other types.
Status FillRandom(uint64_t seed, size_t i, DType dtype,
                  std::span<std::byte> data);

}  // namespace stowplan::runtime
