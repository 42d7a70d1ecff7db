// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels {

FixedPoint ToFixedPoint(double factor) {
  if (factor == 0 || !std::isfinite(factor)) return {};
  int shift = 0;
  const double mantissa = std::frexp(factor, &shift);
  int64_t multiplier = std::llround(mantissa * (int64_t{1} << 31));
  if (multiplier == (int64_t{1} << 31)) {
    multiplier /= 2;
    ++shift;
  }
  if (shift < -31) return {};
  if (shift > 30) return {INT32_MAX, 30};
  return {static_cast<int32_t>(multiplier), shift};
}

int32_t Multiply64(int64_t x, FixedPoint factor) {
  const int32_t reduced = factor.multiplier < 0x7FFF0000
                              ? (factor.multiplier + (1 << 15)) >> 16
                              : 0x7FFF;
  const int64_t product = MultiplyWrapped<int64_t>(x, reduced);
  const int shift = 15 - factor.shift;
  if (shift <= 0) {
    return static_cast<int32_t>(static_cast<uint64_t>(product) << -shift);
  }
  return static_cast<int32_t>(AddWrapped(product, int64_t{1} << (shift - 1)) >>
                              shift);
}

}  // namespace stowplan::kernels
