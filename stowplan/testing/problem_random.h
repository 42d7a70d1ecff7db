// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every platform: the distributions of
// the standard library are not.
#pragma once

#include <cstdint>

namespace stowplan::testing {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // In [low, high]; the bias is below 2^-32 for ranges below 2^32.
  // REQUIRES: low <= high.
  int64_t Between(int64_t low, int64_t high) {
    const uint64_t width = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int64_t>(width == 0 ? Bits() : Bits() % width);
  }
  bool Chance(int percent) { return Between(1, 100) <= percent; }
  // How often in a row a chance of 1 in `odds` comes true, at most `most`.
  int Streak(int64_t odds, int most) {
    int streak = 0;
    while (streak < most && Between(1, odds) == 1) ++streak;
    return streak;
  }

 private:
  uint64_t state_;
};

}  // namespace stowplan::testing
