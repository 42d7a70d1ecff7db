// SPDX-License-Identifier: Apache-2.0
//
// Layer normalisation of 16-bit integers in integers only. Internal to this
// folder.
#pragma once

#include <cstdint>
#include <span>

#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

// 1 / sqrt(x) by Newton's method; for x below 2 that of 1. REQUIRES: x >= 0.
FixedPoint InverseSquareRoot(int32_t x);

// The factors and offsets of a normalisation.
struct LayerNorm16 {
  const int16_t* weights = nullptr;
  const int32_t* bias = nullptr;  // In steps of the weights' scale / 1024.
  FixedPoint scale;               // Of the weights.
  int32_t least_variance = 1;     // What stands for a variance of 0.

  // row = (row - mean) / deviation * weights + bias, in 12 fractional bits;
  // as LiteRT's ApplyLayerNorm.
  void Apply(std::span<int16_t> row) const;
};

}  // namespace stowplan::kernels::reference
