// SPDX-License-Identifier: Apache-2.0
//
// Moves a box of elements from one place to another, with strides of their
// own on either side: slices, transpositions, repetitions, interleavings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "stowplan/kernels/tensor.h"

namespace stowplan::kernels::reference {

class StridedCopy {
 public:
  // Enough for all axes of a tensor, each split in two.
  static constexpr size_t kMaxAxes = 2 * kMaxRank;

  // Adds the next axis, inwards: `size` elements, a step along it moves by so
  // many elements in the source and in the target. Strides may be 0 (the
  // source repeats) or negative.
  void Add(int64_t size, int64_t from_stride, int64_t to_stride);

  // Copies elements of `element` bytes, row by row. O(elements).
  void Run(const std::byte* from, std::byte* to, int64_t element) const;

 private:
  template <class T>
  void RunTyped(const T* from, T* to) const;
  void RunBytes(const std::byte* from, std::byte* to, int64_t element) const;

  size_t axes_ = 0;
  int64_t count_ = 1;
  std::array<int64_t, kMaxAxes> sizes_ = {};
  std::array<int64_t, kMaxAxes> from_ = {};
  std::array<int64_t, kMaxAxes> to_ = {};
};

}  // namespace stowplan::kernels::reference
