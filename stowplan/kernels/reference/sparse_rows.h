// SPDX-License-Identifier: Apache-2.0
//
// Rows of a matrix that is stored without most of its zeros, as one side of a
// product: rows one after the other, of each the columns that are there, one
// by one or in blocks of columns that lie side by side.
//
//   row 0: segments[0] .. segments[1]    indices  2      5
//   row 1: segments[1] .. segments[2]    values  [a b]  [c d]   (blocks of 2:
//   ...                                          columns 4, 5 and 10, 11)
#pragma once

#include <algorithm>
#include <cstdint>

#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {

// Whether SparseRows can read it: the two axes in their order, the outer one
// dense, the inner one compressed, at most one axis of blocks.
inline bool IsSparseRows(const Tensor& matrix) {
  const Sparsity& s = *matrix.sparsity;
  if (matrix.shape.rank != 2 || SizeOf(matrix.type) == 0) return false;
  if (s.levels.size() < 2 || s.levels.size() > 3) return false;
  for (size_t i = 0; i < s.levels.size(); ++i) {
    if (s.traversal_order[i] != static_cast<int32_t>(i)) return false;
  }
  if (!s.levels[0].dense || s.levels[1].dense) return false;
  return s.levels.size() == 2 || (s.levels[2].dense && s.block_map[0] == 1);
}

// Elements of type T, as an E each. REQUIRES: IsSparseRows.
template <class T, class E>
class SparseRows {
 public:
  explicit SparseRows(const Tensor& matrix)
      : data_(matrix.As<T>()), columns_(matrix.sparsity->levels[1]) {
    const Sparsity& sparsity = *matrix.sparsity;
    if (sparsity.levels.size() == 3) block_ = sparsity.levels[2].size;
  }

  const E* operator()(int64_t row, int64_t begin, int64_t end,
                      E* buffer) const {
    std::fill_n(buffer, end - begin, E{0});
    const int64_t last = columns_.segments[static_cast<size_t>(row) + 1];
    for (int64_t i = columns_.segments[static_cast<size_t>(row)]; i < last;
         ++i) {
      const int64_t first = columns_.indices[static_cast<size_t>(i)] * block_;
      const int64_t from = std::max(first, begin);
      const int64_t to = std::min(first + block_, end);
      for (int64_t k = from; k < to; ++k) {
        buffer[k - begin] = data_[i * block_ + (k - first)];
      }
    }
    return buffer;
  }

 private:
  const T* data_;
  const Sparsity::Level& columns_;
  int64_t block_ = 1;
};

}  // namespace stowplan::kernels::reference
