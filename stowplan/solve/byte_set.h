// SPDX-License-Identifier: Apache-2.0
//
// A set of bytes as sorted, disjoint ranges that do not touch.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "stowplan/base/bytes.h"

namespace stowplan::solve {

// Planners stack buffers close, so ranges melt into each other and the vector
// stays short, far shorter than the number of buffers in it.
class ByteSet {
 public:
  // Behind the last range, so that a scan needs no other end.
  static constexpr ByteRange kEnd = {std::numeric_limits<Bytes>::max(),
                                     std::numeric_limits<Bytes>::max()};

  // Adds [begin, end). O(log ranges) plus the ranges behind it, moved.
  // REQUIRES: begin < end < 2^63 - 1.
  void Add(Bytes begin, Bytes end) {
    if (ranges_.empty()) ranges_.push_back(kEnd);
    // The ranges [first, last) touch the new one.
    const auto first = std::partition_point(
        ranges_.begin(), ranges_.end(),
        [begin](const ByteRange& range) { return range.end < begin; });
    if (first->begin > end) {
      ranges_.insert(first, {begin, end});
      return;
    }
    auto last = first;
    while (last->begin <= end) {
      end = std::max(end, last->end);
      ++last;
    }
    *first = {std::min(begin, first->begin), end};
    ranges_.erase(first + 1, last);
  }

  // Keeps its memory.
  void Clear() { ranges_.clear(); }

  size_t size() const { return ranges_.empty() ? 0 : ranges_.size() - 1; }
  std::span<const ByteRange> ranges() const { return {ranges_.data(), size()}; }

 private:
  std::vector<ByteRange> ranges_;  // And kEnd, unless empty.
};

}  // namespace stowplan::solve
