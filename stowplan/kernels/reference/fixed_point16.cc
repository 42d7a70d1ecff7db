// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/fixed_point16.h"

#include <algorithm>
#include <cmath>

#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

constexpr int16_t kOne = INT16_MAX;  // 1 with no integer bits.

// A constant of 31 fractional bits in 15.
constexpr int16_t Constant(int32_t value) {
  return static_cast<int16_t>((int64_t{value} + (1 << 15)) >> 16);
}

int16_t Add(int16_t a, int16_t b) { return static_cast<int16_t>(a + b); }

// Times 2^exponent: saturating to the left, to the nearest to the right.
int16_t Scale(int16_t x, int exponent) {
  if (exponent <= 0) {
    return static_cast<int16_t>(DivideByPowerOfTwo(x, -exponent));
  }
  return Saturate16(static_cast<int32_t>(
      std::clamp<int64_t>(int64_t{x} << exponent, INT32_MIN, INT32_MAX)));
}

int16_t HalfSum(int16_t a, int16_t b) {
  const int32_t sum = int32_t{a} + b;
  return static_cast<int16_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
}

// exp(x) for x in [-1/4, 0), Taylor around -1/8.
int16_t ExpBelowZero(int16_t x) {
  constexpr int16_t kTerm = Constant(1895147668);  // exp(-1/8)
  constexpr int16_t kThird = Constant(715827883);
  const int16_t y = Add(x, 1 << 12);
  const int16_t y2 = HighMultiply16(y, y);
  const int16_t y3 = HighMultiply16(y2, y);
  const int16_t y4 = HighMultiply16(y2, y2);
  const int16_t inner = Add(HighMultiply16(Add(Scale(y4, -2), y3), kThird), y2);
  const int16_t sum = Add(y, Scale(inner, -1));
  return Saturate16(int32_t{kTerm} + HighMultiply16(kTerm, sum));
}

// exp(x) for x <= 0 with that many integer bits.
int16_t ExpOfNegative(int16_t x, int bits) {
  const int fraction = 15 - bits;
  if (x == 0) return kOne;
  const auto quarter =
      static_cast<int16_t>(fraction >= 2 ? 1 << (fraction - 2) : 0);
  const auto mask = static_cast<int16_t>(quarter - 1);
  const auto rest = static_cast<int16_t>((x & mask) - quarter);
  int16_t result = ExpBelowZero(Scale(rest, bits));
  const auto remainder = static_cast<int16_t>(rest - x);
  // exp(-2^e) for e = -2, -1, ...
  constexpr int32_t kPowers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  for (int e = -2; e <= 4; ++e) {
    if (bits <= e) break;
    const int shift = fraction + e;
    if (shift >= 0 && (remainder >> shift & 1) != 0) {
      result = HighMultiply16(result, Constant(kPowers[e + 2]));
    }
  }
  if (bits > 5 && x < -(1 << (36 - bits - 16))) return 0;
  return result;
}

// 2 / (1 + x) with two integer bits, for x in [0, 1] without.
int16_t TwoOverOnePlus(int16_t x) {
  constexpr int16_t k48Over17 = Constant(1515870810);
  constexpr int16_t kMinus32Over17 = Constant(-1010580540);
  constexpr int16_t kOneOfTwoBits = 1 << 13;
  const int16_t half = HalfSum(x, kOne);
  int16_t y = Add(k48Over17, HighMultiply16(half, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int16_t product = HighMultiply16(half, y);
    const auto error = static_cast<int16_t>(kOneOfTwoBits - product);
    y = Add(y, Scale(HighMultiply16(y, error), 2));
  }
  return y;
}

}  // namespace

int16_t Saturate16(int32_t x) {
  return static_cast<int16_t>(std::clamp(x, -32768, 32767));
}

int16_t HighMultiply16(int16_t a, int16_t b) {
  if (a == b && a == INT16_MIN) return INT16_MAX;
  const int32_t product = int32_t{a} * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return static_cast<int16_t>((product + nudge) / (1 << 15));
}

int ExponentOf(float scale) {
  if (!(scale > 0) || !std::isfinite(scale)) return 0;
  const double exponent = std::log2(double{scale});
  const double rounded = std::round(exponent);
  return std::fabs(exponent - rounded) < 1e-3 ? static_cast<int>(rounded) : 0;
}

int16_t Sigmoid16(int16_t x) {
  if (x == 0) return 1 << 14;
  const auto negative =
      static_cast<int16_t>(x > 0 ? -x : std::max<int>(x, -INT16_MAX));
  const int16_t y = TwoOverOnePlus(ExpOfNegative(negative, 3));
  const int16_t positive = Scale(y, 1);
  return x > 0 ? positive : static_cast<int16_t>(kOne - positive);
}

int16_t Tanh16(int16_t x, int integer_bits) {
  if (x == 0) return 0;
  const auto negative = static_cast<int16_t>(x < 0 ? x : -x);
  // exp(2x): the same bits with one integer bit more.
  const int16_t exp = ExpOfNegative(negative, integer_bits + 1);
  const int16_t y = TwoOverOnePlus(exp);
  const int16_t t = Scale(static_cast<int16_t>(y - (1 << 13)), 2);
  return x < 0 ? static_cast<int16_t>(-t) : t;
}

}  // namespace stowplan::kernels::reference
