// SPDX-License-Identifier: Apache-2.0
//
// How far one engine's values are from another's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/tensor.h"

namespace stowplan::tests {

struct Difference {
  double steps = 0;  // Worst of quantised integers.
  double part = 0;   // Worst of floats, as part of a tensor's largest value.
  double whole = 0;  // Worst of other numbers, which have to be equal.
  int64_t differing = 0;  // Elements of another value.
  int64_t elements = 0;
};

// Elements of one tensor as doubles.
template <class T>
double ElementAt(const std::byte* data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * int64_t{sizeof(T)}, sizeof(T));
  return static_cast<double>(value);
}
inline double HalfAt(const std::byte* data, int64_t i) {
  uint16_t half;
  std::memcpy(&half, data + i * 2, sizeof(half));
  return kernels::reference::FromHalf(half);
}

// The worst difference of `count` elements that `at` reads, and how many
// differ at all; two values that are no numbers do not. For floats as part of
// the largest finite magnitude of `theirs`. An infinity counts as the largest
// float: LiteRT's two arithmetics differ in which of them they leave.
struct Worst {
  double absolute = 0;
  double span = 0;
  int64_t differing = 0;
};
inline double WithoutInfinity(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return std::isinf(value) ? std::copysign(kMost, value) : value;
}
inline Worst WorstOf(const std::byte* ours, const std::byte* theirs,
                     int64_t count, double (*at)(const std::byte*, int64_t)) {
  Worst worst;
  for (int64_t i = 0; i < count; ++i) {
    const double a = WithoutInfinity(at(ours, i));
    const double b = WithoutInfinity(at(theirs, i));
    if (std::isfinite(b)) worst.span = std::max(worst.span, std::fabs(b));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    ++worst.differing;
    const double difference = std::fabs(a - b);
    worst.absolute =
        std::max(worst.absolute, std::isfinite(difference) ? difference : 1e38);
  }
  return worst;
}

// Adds what `ours` differs in from `theirs`, which has the same size.
inline void AddDifference(const kernels::Tensor& ours, const std::byte* theirs,
                          Difference* total) {
  using kernels::Type;
  int64_t count = ours.shape.elements();
  double (*at)(const std::byte*, int64_t) = nullptr;
  bool floating = false;
  switch (ours.type) {
    case Type::kComplex64:
      count *= 2;
      [[fallthrough]];
    case Type::kFloat32:
      at = ElementAt<float>;
      floating = true;
      break;
    case Type::kFloat16:
      at = HalfAt;
      floating = true;
      break;
    case Type::kFloat64:
      at = ElementAt<double>;
      floating = true;
      break;
    case Type::kInt8:
      at = ElementAt<int8_t>;
      break;
    case Type::kInt16:
      at = ElementAt<int16_t>;
      break;
    case Type::kInt32:
      at = ElementAt<int32_t>;
      break;
    case Type::kInt64:
      at = ElementAt<int64_t>;
      break;
    default:  // By bytes.
      at = ElementAt<uint8_t>;
      count = ours.type == Type::kUInt8 || ours.type == Type::kBool
                  ? count
                  : ours.bytes;
  }
  const Worst worst = WorstOf(ours.data, theirs, count, at);
  total->elements += count;
  total->differing += worst.differing;
  if (floating) {
    const double span = worst.span > 0 ? worst.span : 1;
    total->part = std::max(total->part, worst.absolute / span);
  } else {
    const bool quantized = !ours.quantization.scales.empty();
    double& into = quantized ? total->steps : total->whole;
    into = std::max(into, worst.absolute);
  }
}

}  // namespace stowplan::tests
