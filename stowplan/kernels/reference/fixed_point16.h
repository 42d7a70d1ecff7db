// SPDX-License-Identifier: Apache-2.0
//
// Sigmoid and tanh in 16-bit fixed point, as gemmlowp's fixedpoint.h computes
// them: exp by a polynomial on [-1/4, 0) and powers for the rest, quotients by
// three steps of Newton's method.
#pragma once

#include <cstdint>

namespace stowplan::kernels::reference {

// a * b / 2^15 to the nearest, saturating.
int16_t HighMultiply16(int16_t a, int16_t b);

// The nearest value of the type.
int16_t Saturate16(int32_t x);

// 1 / (1 + exp(-x)) of x with 3 integer and 12 fractional bits, in 15
// fractional bits.
int16_t Sigmoid16(int16_t x);

// tanh(x) of x with `integer_bits` integer bits, in 15 fractional bits.
// REQUIRES: 0 <= integer_bits <= 14.
int16_t Tanh16(int16_t x, int integer_bits);

// The exponent of a scale that is a power of two, or nearly; 0 where it is
// none.
int ExponentOf(float scale);

}  // namespace stowplan::kernels::reference
