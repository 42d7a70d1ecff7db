// SPDX-License-Identifier: Apache-2.0
//
// Walks an output of any rank together with operands that are stretched to
// its shape.
#pragma once

#include <array>
#include <cstdint>

#include "stowplan/kernels/tensor.h"

namespace stowplan::kernels::reference {

// Dimensions of the output with, for each of N operands, how many elements
// to step for a step along them (0 where the operand is stretched).
// Neighbouring dimensions are joined where all operands allow it, so that
// equal shapes are one dimension.
template <size_t N>
class Broadcast {
 public:
  // REQUIRES: each shape has dimensions of 1 or of the output's, aligned at
  // the last one.
  Broadcast(const Shape& output, const std::array<const Shape*, N>& shapes) {
    for (size_t axis = 0; axis < output.rank; ++axis) {
      if (output[axis] == 1) continue;
      std::array<int64_t, N> strides = {};
      for (size_t i = 0; i < N; ++i) {
        strides[i] = StrideOf(*shapes[i], axis, output.rank);
      }
      Add(output[axis], strides);
    }
    empty_ = output.elements() == 0;
    if (rank_ == 0) {
      sizes_[0] = 1;
      strides_[0] = {};
      rank_ = 1;
    }
  }

  // Calls `row(first, count, offsets, strides)` for each run along the last
  // dimension: `count` output elements from `first` on; operand i's lie at
  // offsets[i] + k * strides[i]. In the order of the output.
  template <class Row>
  void ForEachRow(const Row& row) const {
    if (empty_) return;
    std::array<int64_t, kMaxRank> index = {};
    std::array<int64_t, N> offsets = {};
    const size_t last = rank_ - 1;
    for (int64_t first = 0;; first += sizes_[last]) {
      row(first, sizes_[last], offsets, strides_[last]);
      size_t axis = last;
      while (axis-- > 0) {
        for (size_t i = 0; i < N; ++i) offsets[i] += strides_[axis][i];
        if (++index[axis] < sizes_[axis]) break;
        for (size_t i = 0; i < N; ++i) {
          offsets[i] -= strides_[axis][i] * sizes_[axis];
        }
        index[axis] = 0;
      }
      if (axis == SIZE_MAX) return;
    }
  }

 private:
  // Of the operand along the output's axis.
  static int64_t StrideOf(const Shape& shape, size_t axis, size_t rank) {
    if (axis + shape.rank < rank) return 0;
    const size_t own = axis + shape.rank - rank;
    return shape[own] == 1 ? 0 : shape.Product(own + 1, shape.rank);
  }

  void Add(int64_t size, const std::array<int64_t, N>& strides) {
    if (rank_ > 0) {
      bool joins = true;
      for (size_t i = 0; i < N; ++i) {
        joins = joins && strides_[rank_ - 1][i] == strides[i] * size;
      }
      if (joins) {
        sizes_[rank_ - 1] *= size;
        strides_[rank_ - 1] = strides;
        return;
      }
    }
    sizes_[rank_] = size;
    strides_[rank_] = strides;
    ++rank_;
  }

  size_t rank_ = 0;
  bool empty_ = false;
  std::array<int64_t, kMaxRank> sizes_ = {};
  std::array<std::array<int64_t, N>, kMaxRank> strides_ = {};
};

// Whether `shape` can be stretched to `output`.
inline bool Stretches(const Shape& shape, const Shape& output) {
  if (shape.rank > output.rank) return false;
  for (size_t i = 0; i < shape.rank; ++i) {
    const int64_t wanted = output[output.rank - shape.rank + i];
    if (shape[i] != 1 && shape[i] != wanted) return false;
  }
  return true;
}

// out[i] = function(a[i], b[i]) with both stretched to the output's shape.
// Each element is read before it is written, so `out` may be one of them.
template <class In, class Out, class Function>
void MapPairs(const Tensor& a, const Tensor& b, Tensor& out,
              const Function& function) {
  const Broadcast<2> walk(out.shape, {&a.shape, &b.shape});
  walk.ForEachRow([&](int64_t first, int64_t count,
                      const std::array<int64_t, 2>& offsets,
                      const std::array<int64_t, 2>& strides) {
    Out* to = out.As<Out>() + first;
    const In* x = a.As<In>() + offsets[0];
    const In* y = b.As<In>() + offsets[1];
    if (strides[0] == 1 && strides[1] == 1) {
      for (int64_t i = 0; i < count; ++i) {
        to[i] = static_cast<Out>(function(x[i], y[i]));
      }
    } else if (strides[0] == 1 && strides[1] == 0) {
      const In value = *y;
      for (int64_t i = 0; i < count; ++i) {
        to[i] = static_cast<Out>(function(x[i], value));
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        to[i] =
            static_cast<Out>(function(x[i * strides[0]], y[i * strides[1]]));
      }
    }
  });
}

}  // namespace stowplan::kernels::reference
