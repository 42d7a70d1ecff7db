// SPDX-License-Identifier: Apache-2.0
//
// Weights from a seeded generator: the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stowplan::examples {

// The splitmix64 generator: a counter through a finaliser. Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

// Real weights limit * value / 127.
struct RandomWeights {
  std::vector<int8_t> values;
  float limit = 1;

  float scale() const { return limit / 127; }
};

// Uniform with the variance that keeps the activations of a rectified network
// in range: He et al., "Delving deep into rectifiers", 2015, section 2.2.
inline RandomWeights DrawWeights(Generator& generator, size_t count,
                                 int32_t fan_in) {
  RandomWeights weights{{}, std::sqrt(6.0f / static_cast<float>(fan_in))};
  weights.values.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const auto draw = static_cast<int>(generator.Next() >> 48);
    weights.values.push_back(static_cast<int8_t>(draw % 255 - 127));
  }
  return weights;
}

}  // namespace stowplan::examples
