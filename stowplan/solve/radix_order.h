// SPDX-License-Identifier: Apache-2.0
//
// Orders of indices by integer keys, in linear time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stowplan::solve {

// An order of the indices [0, n), refined key by key.
//
//   RadixOrder order(n);       // 0, 1, 2, ...: the last word in a tie
//   order.By(begin);           // then by begin,
//   order.ByDescending(size);  // but first of all by size, largest first
//
// Each step is stable, so the key given last weighs most.
class RadixOrder {
 public:
  // REQUIRES: n < 2^32.
  explicit RadixOrder(std::size_t n);

  // O(n * bytes in which the keys differ). REQUIRES: one key per index.
  void By(const std::vector<int64_t>& keys) { Sort(keys, 0); }
  void ByDescending(const std::vector<int64_t>& keys) {
    Sort(keys, ~uint64_t{0});
  }

  const std::vector<uint32_t>& indices() const { return indices_; }
  std::vector<uint32_t> Take() && { return std::move(indices_); }

 private:
  void Sort(const std::vector<int64_t>& keys, uint64_t flip);

  std::vector<uint32_t> indices_;
};

}  // namespace stowplan::solve
