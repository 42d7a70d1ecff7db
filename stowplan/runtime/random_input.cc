// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/random_input.h"

#include <cstring>
#include <string>

#include "stowplan/kernels/reference/support.h"

namespace stowplan::runtime {
namespace {

uint64_t Mix(uint64_t z) {
  z ^= z >> 30;
  z *= 0xBF58476D1CE4E5B9;
  z ^= z >> 27;
  z *= 0x94D049BB133111EB;
  return z ^ z >> 31;
}

template <class T, class Make>
void Fill(uint64_t seed, size_t input, std::span<std::byte> data,
          const Make& make) {
  const size_t count = data.size() / sizeof(T);
  for (size_t k = 0; k < count; ++k) {
    const uint64_t number = (uint64_t{input} << 32) + k + 1;
    const T value = make(Mix(seed + number * 0x9E3779B97F4A7C15));
    std::memcpy(data.data() + k * sizeof(T), &value, sizeof(T));
  }
}

float ToFloat(uint64_t z) {
  return static_cast<float>(z >> 40) / 8388608.0f - 1.0f;
}

}  // namespace

Status FillRandom(uint64_t seed, size_t i, DType dtype,
                  std::span<std::byte> data) {
  switch (dtype) {
    case DType::kFloat32:
      Fill<float>(seed, i, data, ToFloat);
      return {};
    case DType::kFloat16:
      Fill<uint16_t>(seed, i, data, [](uint64_t z) {
        return kernels::reference::ToHalf(ToFloat(z));
      });
      return {};
    case DType::kInt8:
    case DType::kUInt8:
      Fill<uint8_t>(seed, i, data,
                    [](uint64_t z) { return static_cast<uint8_t>(z); });
      return {};
    case DType::kInt16:
      Fill<uint16_t>(seed, i, data,
                     [](uint64_t z) { return static_cast<uint16_t>(z); });
      return {};
    case DType::kBool:
      Fill<uint8_t>(seed, i, data,
                    [](uint64_t z) { return static_cast<uint8_t>(z & 1); });
      return {};
    case DType::kInt32:
      Fill<int32_t>(seed, i, data,
                    [](uint64_t z) { return static_cast<int32_t>(z % 4); });
      return {};
    case DType::kInt64:
      Fill<int64_t>(seed, i, data,
                    [](uint64_t z) { return static_cast<int64_t>(z % 4); });
      return {};
    default:
      return UsageError("input " + std::to_string(i),
                        "random values of type " + std::string(NameOf(dtype)) +
                            " are not defined",
                        "give the input as a file");
  }
}

}  // namespace stowplan::runtime
