// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>

#include "stowplan/engines/tflm.h"

namespace stowplan::engines {
namespace {

constexpr size_t kWord = 4;
constexpr size_t kHeaderWords = 3;

uint32_t WordAt(std::span<const std::byte> content, size_t word) {
  uint32_t value = 0;
  for (size_t i = kWord; i-- > 0;) {
    value = value << 8 | std::to_integer<uint32_t>(content[word * kWord + i]);
  }
  return value;
}

}  // namespace

Result<std::vector<int32_t>> ReadTflmOfflinePlan(
    std::span<const std::byte> content, size_t tensors) {
  const std::string where =
      "metadata entry " + std::string(kTflmOfflinePlanName);
  if (content.size() < kHeaderWords * kWord) {
    return BadInput(where, "it has no header of three words",
                    "write the plan anew");
  }
  const size_t count = WordAt(content, kHeaderWords - 1);
  if (count != tensors) {
    return BadInput(where,
                    "it places " + std::to_string(count) +
                        " tensors, and the model has " +
                        std::to_string(tensors) +
                        ", those of all subgraphs and constants counted",
                    "write the plan anew for this model");
  }
  if (content.size() / kWord < kHeaderWords + count) {
    return BadInput(where,
                    "it ends after " +
                        std::to_string(content.size() / kWord - kHeaderWords) +
                        " of " + std::to_string(count) + " offsets",
                    "write the plan anew");
  }
  std::vector<int32_t> offsets(count);
  for (size_t i = 0; i < count; ++i) {
    offsets[i] = static_cast<int32_t>(WordAt(content, kHeaderWords + i));
    if (offsets[i] < -1) {
      return BadInput(where,
                      "the offset of tensor " + std::to_string(i) + " is " +
                          std::to_string(offsets[i]),
                      "use -1 for tensors that are placed at run time");
    }
  }
  return offsets;
}

}  // namespace stowplan::engines
