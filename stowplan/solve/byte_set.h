// SPDX-License-Identifier: Apache-2.0
//
// A set of bytes as sorted, disjoint ranges that do not touch.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "stowplan/base/bytes.h"

namespace stowplan::solve {

// Planners stack buffers close, so ranges melt into each other and the vector
// stays short, far shorter than the number of buffers in it.
class ByteSet {
 public:
  // Adds [begin, end). O(log ranges) plus the ranges behind it, moved.
  // REQUIRES: begin < end.
  void Add(Bytes begin, Bytes end) {
    // The ranges [first, last) touch the new one.
    const auto first = std::lower_bound(
        ranges_.begin(), ranges_.end(), begin,
        [](const ByteRange& range, Bytes at) { return range.end < at; });
    if (first == ranges_.end() || first->begin > end) {
      ranges_.insert(first, {begin, end});
      return;
    }
    auto last = first;
    while (last != ranges_.end() && last->begin <= end) {
      end = std::max(end, last->end);
      ++last;
    }
    *first = {std::min(begin, first->begin), end};
    ranges_.erase(first + 1, last);
  }

  bool empty() const { return ranges_.empty(); }
  std::span<const ByteRange> ranges() const { return ranges_; }

 private:
  std::vector<ByteRange> ranges_;
};

}  // namespace stowplan::solve
