// SPDX-License-Identifier: Apache-2.0
//
// The sigmoid at multiples of 1 / 24, in 16-bit fixed point: what 16-bit
// LOGISTIC and TANH interpolate between. A chord lies below the curve by up to
// an eighth of the curvature; all entries are raised by half of that, so that
// chords err to both sides alike. These are LiteRT's entries.
#pragma once

#include <array>
#include <cstdint>

namespace stowplan::kernels::reference {

// Built at the first call; the same on every machine with IEEE arithmetic,
// since no entry lies near a tie.
const std::array<uint16_t, 256>& SigmoidTable();

}  // namespace stowplan::kernels::reference
