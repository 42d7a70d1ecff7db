// SPDX-License-Identifier: Apache-2.0
//
// What a ModelBuilder may be told of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stowplan/tflite/schema_generated.h"

namespace stowplan::testing {

using ElementType = tflite::schema::TensorType;

struct QuantizationSpec {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  int32_t dimension = 0;
  // Blocks instead: the tensors that hold their scales and zero points.
  int32_t block_size = 0;
  int32_t block_scales = 0;
  int32_t block_zero_points = -1;
};

struct SparseLevelSpec {
  int32_t dense_size = 0;  // 0: compressed.
  std::vector<int32_t> segments;
  std::vector<int32_t> indices;
};

struct SparsitySpec {
  std::vector<int32_t> traversal_order;
  std::vector<int32_t> block_map;
  std::vector<SparseLevelSpec> levels;
};

struct TensorSpec {
  std::string name;
  ElementType type = ElementType::FLOAT32;
  std::vector<int32_t> shape = {};
  QuantizationSpec quantization = {};
  std::vector<std::byte> data = {};  // A constant's content.
  bool outside = false;              // Content behind the FlatBuffer.
  bool variable = false;
  bool has_rank = true;
  std::vector<int32_t> signature = {};
  std::optional<SparsitySpec> sparsity = {};
};

// The bytes of numbers, as a constant's content.
template <class T>
std::vector<std::byte> BytesOf(const std::vector<T>& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

}  // namespace stowplan::testing
