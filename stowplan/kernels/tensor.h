// SPDX-License-Identifier: Apache-2.0
//
// A tensor as a kernel sees it: type, shape, quantisation and where its bytes
// are. A view: nothing here owns memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stowplan/base/bytes.h"
#include "stowplan/base/dtype.h"

namespace stowplan::kernels {

using Type = DType;

constexpr size_t kMaxRank = 8;

struct Shape {
  size_t rank = 0;
  std::array<int64_t, kMaxRank> dims = {};  // Those behind `rank` are 0.

  int64_t operator[](size_t axis) const { return dims[axis]; }
  int64_t& operator[](size_t axis) { return dims[axis]; }
  // The product of the dimensions [begin, end).
  int64_t Product(size_t begin, size_t end) const {
    int64_t product = 1;
    for (size_t i = begin; i < end; ++i) product *= dims[i];
    return product;
  }
  int64_t elements() const { return Product(0, rank); }
  // The last dimension, 1 for a scalar.
  int64_t last() const { return rank == 0 ? 1 : dims[rank - 1]; }

  friend bool operator==(const Shape&, const Shape&) = default;
};

// value = scale * (stored - zero point). One pair for the whole tensor, one
// for each index of the axis `dimension`, or one for each block of
// `block_size` elements of the last axis.
struct Quantization {
  std::span<const float> scales;  // Empty if the tensor is not quantised.
  std::span<const int64_t> zero_points;
  int32_t dimension = 0;
  int32_t block_size = 0;                 // 0: not by blocks.
  std::span<const uint16_t> half_scales;  // By blocks: in half precision.

  float scale() const { return scales.empty() ? 0.0f : scales[0]; }
  int32_t zero_point() const {
    return zero_points.empty() ? 0 : static_cast<int32_t>(zero_points[0]);
  }
  bool per_channel() const { return scales.size() > 1; }
  float ScaleOf(int64_t channel) const {
    return scales.size() == 1 ? scales[0]
                              : scales[static_cast<size_t>(channel)];
  }
};

// A constant that is stored without most of its zeros: the levels of a tree,
// outermost first, in the order in which the axes are visited. With blocks,
// the last levels walk inside a block.
struct Sparsity {
  struct Level {
    bool dense = true;
    int64_t size = 0;                   // Dense: of the axis.
    std::span<const int32_t> segments;  // Compressed: where rows begin.
    std::span<const int32_t> indices;   // Compressed: which entries exist.
  };
  std::span<const int32_t> traversal_order;
  std::span<const int32_t> block_map;  // The axis of each block axis.
  std::span<const Level> levels;
};

struct Tensor {
  Type type = Type::kFloat32;
  bool constant = false;  // Its content is there in Prepare already.
  bool variable = false;  // Its value outlives an invoke.
  Shape shape;
  Quantization quantization;
  std::byte* data = nullptr;  // Null: not placed yet, or of no bytes.
  Bytes bytes = 0;
  const Sparsity* sparsity = nullptr;

  template <class T>
  const T* As() const {
    return reinterpret_cast<const T*>(data);
  }
  template <class T>
  T* As() {
    return reinterpret_cast<T*>(data);
  }
};

// Bytes of one element; 0 for types of less than a byte or no fixed size.
size_t SizeOf(Type type);

}  // namespace stowplan::kernels
