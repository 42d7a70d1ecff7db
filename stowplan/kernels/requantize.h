// SPDX-License-Identifier: Apache-2.0
//
// From an accumulator's steps to an output's: the one place where the two
// integer arithmetics differ. LiteRT itself has both: float is what its
// default delegate (XNNPACK) does, fixed point what its built-in kernels do.
// Per operator they are never more than one step apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels {

// multiplier * 2^(shift - 31) with 2^30 <= |multiplier| < 2^31.
struct FixedPoint {
  int32_t multiplier = 0;
  int32_t shift = 0;
};

// The nearest fixed-point number; 0 for factors below 2^-32, as in LiteRT's
// QuantizeMultiplier.
FixedPoint ToFixedPoint(double factor);

// (a * b) / 2^31 to the nearest, ties up; saturates the one case that does
// not fit. Jacob et al., "Quantization and Training of Neural Networks for
// Efficient Integer-Arithmetic-Only Inference", appendix B.
inline int32_t HighMultiply(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN) return INT32_MAX;
  const int64_t product = int64_t{a} * b;
  return static_cast<int32_t>((product + (int64_t{1} << 30)) >> 31);
}

// x / 2^exponent to the nearest, ties away from zero. REQUIRES: 0..31.
inline int32_t DivideByPowerOfTwo(int32_t x, int exponent) {
  const int64_t mask = (int64_t{1} << exponent) - 1;
  const int64_t remainder = x & mask;
  const int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return static_cast<int32_t>((x >> exponent) + (remainder > threshold));
}

// x / 2^exponent to the nearest, ties up. REQUIRES: 0..31.
inline int32_t DivideByPowerOfTwoTiesUp(int32_t x, int exponent) {
  if (exponent == 0) return x;
  return static_cast<int32_t>((int64_t{x} + (int64_t{1} << (exponent - 1))) >>
                              exponent);
}

// A real number within [low, high]; what is no number becomes `low`. Unlike
// after std::clamp, a cast to an integer is safe then.
template <class Real>
constexpr Real Bounded(Real x, Real low, Real high) {
  return x > low ? (x < high ? x : high) : low;
}

// The integer of a whole number; the nearest that there is of one beyond.
inline int32_t ToInt32(double x) {
  return static_cast<int32_t>(Bounded(x, -2147483648.0, 2147483647.0));
}

// The sum, or the nearest integer of 32 bits.
inline int32_t AddSaturated(int32_t a, int32_t b) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(int64_t{a} + b, INT32_MIN, INT32_MAX));
}

// Sums that wrap around where they do not fit, as they do in LiteRT.
template <class T>
constexpr T AddWrapped(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}
template <class T>
constexpr T MultiplyWrapped(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    // At least as wide as unsigned, to which smaller types are not promoted.
    using Unsigned = std::common_type_t<unsigned, std::make_unsigned_t<T>>;
    return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  } else {
    return a * b;
  }
}

inline int32_t ShiftLeft(int32_t x, int shift) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << shift);
}

// x * factor with the rounding of LiteRT's scalar kernels: first the high
// multiply, then a shift with ties away from zero.
inline int32_t Multiply(int32_t x, FixedPoint factor) {
  const int left = std::max(factor.shift, 0);
  const int right = std::max(-factor.shift, 0);
  return DivideByPowerOfTwo(HighMultiply(ShiftLeft(x, left), factor.multiplier),
                            right);
}

// The same with ties up in the shift: what its matrix multiplications do.
inline int32_t MultiplyTiesUp(int32_t x, FixedPoint factor) {
  const int left = std::max(factor.shift, 0);
  const int right = std::max(-factor.shift, 0);
  return DivideByPowerOfTwoTiesUp(
      HighMultiply(ShiftLeft(x, left), factor.multiplier), right);
}

// For 64-bit accumulators of 16-bit activations: the multiplier is cut to 15
// bits, one rounding. From 2^47 on products wrap around.
int32_t Multiply64(int64_t x, FixedPoint factor);

// Ties to even, whatever the rounding mode says: std::nearbyint is a call.
inline int32_t RoundToEven(float x) {
  return static_cast<int32_t>(std::lrintf(x));
}

// How kLiteRt rounds halves in the last shift: its vector code up, its scalar
// code away from zero.
enum class Ties : uint8_t { kUp, kAway };

// How kLiteRt scales the 64-bit sums of 16-bit activations: it has three ways.
enum class WideScaling : uint8_t {
  kShortFactor,  // Multiply64.
  kAsNarrow,     // The sum is one of 32 bits.
  kReal,         // In double precision, ties away from zero.
};

// From the accumulators of a convolution or a matrix product to the output.
class Requantizer {
 public:
  Requantizer() = default;  // Everything becomes 0.
  // `factor`: steps of the output in a step of the accumulator.
  Requantizer(Arithmetic arithmetic, double factor, int32_t zero_point,
              int32_t min, int32_t max, Ties ties = Ties::kUp)
      : arithmetic_(arithmetic),
        ties_(ties),
        factor_(static_cast<float>(factor)),
        exact_(factor),
        fixed_(ToFixedPoint(factor)),
        zero_point_(zero_point),
        min_(min),
        max_(max) {}

  int32_t operator()(int32_t accumulator) const {
    if (arithmetic_ == Arithmetic::kFloat) {
      const float scaled = static_cast<float>(accumulator) * factor_;
      const float low = static_cast<float>(min_ - zero_point_);
      const float high = static_cast<float>(max_ - zero_point_);
      return RoundToEven(Bounded(scaled, low, high)) + zero_point_;
    }
    const int32_t scaled = ties_ == Ties::kUp
                               ? MultiplyTiesUp(accumulator, fixed_)
                               : Multiply(accumulator, fixed_);
    return Shifted(scaled);
  }

  // For accumulators of 64 bits.
  int32_t FromWide(int64_t accumulator,
                   WideScaling scaling = WideScaling::kShortFactor) const {
    if (arithmetic_ == Arithmetic::kFloat) {
      const float scaled = static_cast<float>(accumulator) * factor_;
      const float low = static_cast<float>(min_ - zero_point_);
      const float high = static_cast<float>(max_ - zero_point_);
      return RoundToEven(Bounded(scaled, low, high)) + zero_point_;
    }
    if (scaling == WideScaling::kAsNarrow) {
      return (*this)(static_cast<int32_t>(accumulator));
    }
    return Shifted(
        scaling == WideScaling::kReal
            ? ToInt32(std::round(static_cast<double>(accumulator) * exact_))
            : Multiply64(accumulator, fixed_));
  }

 private:
  // Bounded first: the sum of any number and a zero point might not fit.
  int32_t Shifted(int32_t scaled) const {
    return std::clamp(scaled, min_ - zero_point_, max_ - zero_point_) +
           zero_point_;
  }

  Arithmetic arithmetic_ = Arithmetic::kFloat;
  Ties ties_ = Ties::kUp;
  float factor_ = 0;
  double exact_ = 0;
  FixedPoint fixed_;
  int32_t zero_point_ = 0;
  int32_t min_ = 0;
  int32_t max_ = 0;
};

}  // namespace stowplan::kernels
