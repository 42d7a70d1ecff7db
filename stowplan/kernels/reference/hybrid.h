// SPDX-License-Identifier: Apache-2.0
//
// Float activations that meet integer weights are quantised as they are read:
// one scale for each row (or image), found from its extremes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

// stored = round(value * inverse) + offset, within [low, 127], as LiteRT's
// vector code has it.
struct RowScale {
  float scale = 1.0f;
  float inverse = 0.0f;
  int32_t offset = 0;
  int32_t low = -127;

  // The stored value without the offset: what is multiplied.
  int16_t Quantize(float value) const {
    return static_cast<int16_t>(Bounded(std::round(value * inverse),
                                        static_cast<float>(low - offset),
                                        static_cast<float>(127 - offset)));
  }
};

// Zero lies in the middle: scale = largest magnitude / 127. As LiteRT's
// SymmetricQuantizeFloats.
inline RowScale SymmetricScale(const float* values, int64_t size) {
  const auto [low, high] = std::minmax_element(values, values + size);
  if (size == 0) return {};
  const float range = std::max(std::fabs(*low), std::fabs(*high));
  if (range == 0) return {};
  return {range / 127.0f, 127.0f / range, 0, -127};
}

// All of [-128, 127] is used and zero is exact. As LiteRT's
// AsymmetricQuantizeFloats.
inline RowScale AsymmetricScale(const float* values, int64_t size) {
  if (size == 0) return {1.0f, 0.0f, 0, -128};
  const auto [low, high] = std::minmax_element(values, values + size);
  const double min = std::fmin(0.0, double{*low});
  const double max = std::fmax(0.0, double{*high});
  if (min == max) return {1.0f, 0.0f, 0, -128};
  const double scale = (max - min) / 255.0;
  const double from_min = -128.0 - min / scale;
  const double from_max = 127.0 - max / scale;
  const double error_min = 128.0 + std::fabs(min / scale);
  const double error_max = 127.0 + std::fabs(max / scale);
  const double zero = error_min < error_max ? from_min : from_max;
  const auto offset =
      static_cast<int32_t>(std::round(Bounded(zero, -128.0, 127.0)));
  const auto narrow = static_cast<float>(scale);
  return {narrow, 1.0f / narrow, offset, -128};
}

}  // namespace stowplan::kernels::reference
