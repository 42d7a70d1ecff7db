// SPDX-License-Identifier: Apache-2.0
//
// Functions of one quantised value.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "stowplan/kernels/kernel.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

// table[bits of x] = bits of function(x), for tensors of 8 bits.
template <class Function>
void FillTable(const Tensor& input, const Tensor& output,
               const Function& function, std::array<uint8_t, 256>& table) {
  const IntRange from = LimitsOf(input.type);
  const IntRange to = LimitsOf(output.type);
  const float inverse = 1.0f / output.quantization.scale();
  const auto zero = static_cast<float>(output.quantization.zero_point());
  for (int32_t x = from.min; x <= from.max; ++x) {
    const float value = input.quantization.scale() *
                        static_cast<float>(x - input.quantization.zero_point());
    const float steps = std::round(function(value) * inverse) + zero;
    // A value that is no number has no steps either.
    const float bounded =
        Bounded(steps, static_cast<float>(to.min), static_cast<float>(to.max));
    table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(static_cast<int32_t>(bounded));
  }
}

// Operators that are computed in fixed point and not through the table, where
// LiteRT's built-in kernels do: RELU and its kin, LEAKY_RELU, HARD_SWISH.
bool HasFixedPointCode(const Node& node);
Status RunFixedPoint(const Node& node);

// 16-bit LOGISTIC, TANH, RELU and its kin, LEAKY_RELU.
bool HasWideCode(const Node& node);
Status RunWide(const Node& node);

}  // namespace stowplan::kernels::reference
