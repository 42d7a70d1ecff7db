// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on numbers that come from a file: every step says whether the
// result fits. Overflow of sizes derived from a model is the most common hole
// in memory planners, so nothing read from outside is added or multiplied
// with plain operators before `plan::Problem::Create` has proved the sums.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "stowplan/base/bytes.h"

namespace stowplan {

// The sum, or nothing if it does not fit in 64 bits.
inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// The product, or nothing if it does not fit in 64 bits.
inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// The product of all numbers (1 for none), or nothing if a partial product
// of the non-zero numbers does not fit or a number is negative. A zero among
// them does not hide an overflow of the others.
inline std::optional<int64_t> CheckedProduct(std::span<const int64_t> numbers) {
  int64_t product = 1;
  bool zero = false;
  for (int64_t number : numbers) {
    if (number < 0) return std::nullopt;
    if (number == 0) {
      zero = true;
      continue;
    }
    std::optional<int64_t> next = CheckedMul(product, number);
    if (!next) return std::nullopt;
    product = *next;
  }
  return zero ? 0 : product;
}

constexpr bool IsPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

// `value` rounded up to a multiple of `alignment`.
// REQUIRES: value >= 0, alignment a power of two, the result fits.
constexpr Bytes AlignUp(Bytes value, Bytes alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// The same for numbers from outside: nothing if it does not fit or a
// precondition is broken.
inline std::optional<Bytes> CheckedAlignUp(Bytes value, Bytes alignment) {
  if (value < 0 || !IsPowerOfTwo(alignment)) return std::nullopt;
  if (!CheckedAdd(value, alignment - 1)) return std::nullopt;
  return AlignUp(value, alignment);
}

// `value` as a `To`, or nothing if it does not fit.
template <class To, class From>
std::optional<To> Narrow(From value) {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
  To narrowed = static_cast<To>(value);
  if (static_cast<From>(narrowed) != value) return std::nullopt;
  if ((narrowed < To{}) != (value < From{})) return std::nullopt;
  return narrowed;
}

}  // namespace stowplan
