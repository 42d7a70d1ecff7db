// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_order.h"

#include <bit>

namespace stowplan::solve {
namespace {

// splitmix64 (Steele, Lea, Flood, Fast splittable pseudorandom number
// generators, 2014).
uint64_t Mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Of two numbers the larger has the higher logarithm, in 1/2^20 of a factor
// of two, by integers alone: floating point may differ between machines.
int64_t Log2(uint64_t value) {
  if (value == 0) return 0;
  const int whole = static_cast<int>(std::bit_width(value)) - 1;
  uint64_t rest = value << (63 - whole) >> 32;  // [2^31, 2^32)
  int64_t log = whole;
  for (int bit = 0; bit < 20; ++bit) {
    rest = rest * rest >> 31;
    log *= 2;
    if (rest >> 32) {
      rest >>= 1;
      ++log;
    }
  }
  return log;
}

}  // namespace

int64_t Luby(int64_t index) {
  uint64_t i = static_cast<uint64_t>(index) + 1;
  while (true) {
    const int width = static_cast<int>(std::bit_width(i));
    if (i + 1 == uint64_t{1} << width) return int64_t{1} << (width - 1);
    i -= (uint64_t{1} << (width - 1)) - 1;
  }
}

Bytes SpreadPart(int64_t index, Bytes whole) {
  uint64_t i = static_cast<uint64_t>(index) + 1;
  Bytes part = 0;
  for (Bytes half = whole / 2; i > 0 && half > 0; i >>= 1, half /= 2) {
    if (i & 1) part += half;
  }
  return part;
}

std::vector<int64_t> SearchRanks(const SearchModel& model, int64_t index,
                                 uint64_t seed) {
  std::vector<int64_t> ranks(model.size());
  const bool noisy = index >= 3;
  const bool by_family = WithFamilies(index);
  for (size_t i = 0; i < ranks.size(); ++i) {
    const int64_t width = Log2(static_cast<uint64_t>(model.steps[i]));
    const int64_t size = Log2(static_cast<uint64_t>(model.sizes[i]));
    int64_t value = index % 3 == 0   ? width + size / 1024
                    : index % 3 == 1 ? width + size
                                     : size;
    if (noisy) {
      // Up to a factor of 1.75 either way.
      const SectionRange hull = model.Hull(static_cast<int32_t>(i));
      const uint64_t who = by_family ? static_cast<uint64_t>(hull.begin) << 32 |
                                           static_cast<uint64_t>(hull.end)
                                     : i;
      const uint64_t noise =
          Mix(Mix(seed ^ static_cast<uint64_t>(index)) + who) >> 43;
      value += static_cast<int64_t>(noise * 4 / 5);
    }
    ranks[i] = -value;
  }
  return ranks;
}

}  // namespace stowplan::solve
