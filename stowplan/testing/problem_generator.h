// SPDX-License-Identifier: Apache-2.0
//
// Problems out of a seed: small random ones with every feature, dense ones
// with a known optimum, and large ones.
#pragma once

#include <cstdint>

#include "stowplan/plan/problem.h"

namespace stowplan::testing {

// What RandomProblem may use. Percentages are per buffer.
struct RandomShape {
  int buffers = 6;
  plan::Step horizon = 6;
  Bytes max_size = 6;
  Bytes max_alignment = 1;  // A power of two.
  int pinned_percent = 0;   // Pins may collide.
  int gap_percent = 0;      // Half of the gaps leave a window.
  int zero_percent = 0;     // Buffers of size 0.
};

// Uniformly random sizes and live ranges.
plan::Problem RandomProblem(const RandomShape& shape, uint64_t seed);

// A rectangle of `steps` by `height` bytes cut into `buffers` tiles by
// straight cuts and pinwheels, so that every step is full and the least peak
// is `height`.
//
//   +-----+--+   A pinwheel cuts one tile into five; no straight cut can
//   |     |  |   part them again.
//   +--+--+  |
//   |  |  |  |
//   |  +--+--+
//   |  |     |
//   +--+-----+
//
// There are fewer buffers if the tiles become too small to cut.
// REQUIRES: buffers, steps, height >= 1.
plan::Problem DenseTiling(int buffers, plan::Step steps, Bytes height,
                          bool pinwheels, uint64_t seed);

// One birth per step, live lengths around `live` steps (geometric), sizes
// from 64 bytes up with the tail P(size > s) ~ s^-1.58: every doubling is
// three times as rare, so the variance is infinite.
plan::Problem HeavyTailedProblem(int64_t buffers, int64_t live, uint64_t seed);

}  // namespace stowplan::testing
