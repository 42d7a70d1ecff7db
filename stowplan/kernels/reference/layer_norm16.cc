// SPDX-License-Identifier: Apache-2.0
//
// Ba, Kiros & Hinton, "Layer Normalization", equation 4. Values between have
// ten fractional bits more than the row.
#include "stowplan/kernels/reference/layer_norm16.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace stowplan::kernels::reference {
namespace {

constexpr int64_t kFraction = 1 << 10;

// x * 2^exponent, saturating.
int32_t SaturatingShift(int32_t x, int exponent) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(int64_t{x} << exponent, INT32_MIN, INT32_MAX));
}

// Products of 32 bits wrap around in LiteRT.
int32_t WrappingMultiplyAdd(int32_t a, int32_t b, int32_t c) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) *
                                  static_cast<uint32_t>(b) +
                              static_cast<uint32_t>(c));
}

}  // namespace

FixedPoint InverseSquareRoot(int32_t x) {
  if (x <= 1) return {INT32_MAX, 0};
  int right = 11;
  while (x >= 1 << 29) {
    x /= 4;
    ++right;
  }
  const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right -= pairs;
  // From here on three integer and 28 fractional bits: x is in [1/2, 2).
  const int32_t value = (x << 2 * pairs) >> 1;
  const int32_t half = DivideByPowerOfTwo(value, 1);
  constexpr int32_t kHalfThree = (1 << 28) + (1 << 27);
  int32_t root = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube =
        SaturatingShift(HighMultiply(HighMultiply(root, root), root), 6);
    root = SaturatingShift(
        HighMultiply(kHalfThree, root) - HighMultiply(half, cube), 3);
  }
  constexpr int32_t kHalfRootOfTwo = 1518500250;  // In 31 fractional bits.
  root = HighMultiply(root, kHalfRootOfTwo);
  if (right < 0) return {ShiftLeft(root, -right), 0};
  return {root, -right};
}

void LayerNorm16::Apply(std::span<int16_t> row) const {
  if (row.empty()) return;
  int64_t sum = 0;
  int64_t squares = 0;
  for (int16_t value : row) {
    sum += value;
    squares += int32_t{value} * value;
  }
  const auto count = static_cast<int64_t>(row.size());
  const auto mean = static_cast<int32_t>(sum * kFraction / count);
  // Exact only where the count is a power of two, as in LiteRT.
  const int64_t wide =
      squares * (kFraction * kFraction / count) - int64_t{mean} * mean;
  auto variance = static_cast<int32_t>(wide / (kFraction * kFraction));
  if (variance < 1) variance = least_variance;
  const FixedPoint inverse = InverseSquareRoot(variance);
  const FixedPoint factor = {scale.multiplier, std::min(scale.shift + 12, 30)};
  for (size_t i = 0; i < row.size(); ++i) {
    const auto shifted = static_cast<int32_t>(row[i] * kFraction - mean);
    const int32_t sum32 =
        WrappingMultiplyAdd(Multiply(shifted, inverse), weights[i], bias[i]);
    const int64_t nudged =
        int64_t{sum32} + (sum32 > 0 ? kFraction / 2 : -kFraction / 2);
    const int32_t value =
        Multiply(static_cast<int32_t>(nudged / kFraction), factor);
    row[i] = static_cast<int16_t>(std::clamp(value, -32768, 32767));
  }
}

}  // namespace stowplan::kernels::reference
