// SPDX-License-Identifier: Apache-2.0
//
// The memory planning problem: give every buffer an offset in one arena so
// that two buffers that are live at the same step never share a byte, and the
// highest byte used (the peak) is as low as possible.
//
//   offset
//     3 |      +--b1--+          b0 = {.size = 2, .live = {0, 1}}
//     2 |      |      |          b1 = {.size = 3, .live = {1, 2}}
//     1 +--b0--+      |          Ranges are half-open: b0 and b1 never
//     0 +------+------+-- step   conflict, so both may start at offset 0.
//       0      1      2
//
// Known as dynamic storage allocation; strongly NP-hard (Garey & Johnson,
// Computers and Intractability, 1979, problem SR2).
#pragma once

#include <optional>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"
#include "stowplan/plan/buffer.h"

namespace stowplan::plan {

// Immutable. Once it exists, every algorithm may rely on this: sizes are
// >= 0, alignments are powers of two, steps lie between -2^60 and 2^60, ranges are not empty where the size is
// not 0, gaps are sorted, disjoint and inside, pinned offsets are aligned and
// not negative, and the sum over all buffers of size + alignment, plus the
// highest end of a pinned one, is below 2^62. So is, therefore, every offset
// that a sensible planner can come to, and plain `+` cannot overflow.
class Problem {
 public:
  // Errors: kBadInput naming the first offending buffer. O(n).
  static Result<Problem> Create(std::vector<Buffer> buffers,
                                std::optional<Bytes> capacity = std::nullopt);

  // No buffers, no capacity.
  Problem() = default;

  const std::vector<Buffer>& buffers() const { return buffers_; }
  const Buffer& buffer(BufferId id) const { return buffers_[id.index()]; }
  size_t size() const { return buffers_.size(); }
  // The most that the arena may hold, if there is a limit.
  std::optional<Bytes> capacity() const { return capacity_; }

 private:
  std::vector<Buffer> buffers_;
  std::optional<Bytes> capacity_;
};

}  // namespace stowplan::plan
