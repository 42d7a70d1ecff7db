// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/radix_order.h"

#include <array>
#include <numeric>
#include <utility>

namespace stowplan::solve {
namespace {

constexpr int kDigitBits = 11;
constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;

struct Item {
  uint64_t key;
  uint32_t index;
};

}  // namespace

RadixOrder::RadixOrder(size_t n) : indices_(n) {
  std::iota(indices_.begin(), indices_.end(), 0u);
}

// Least significant digit first. `flip` turns the order of the keys around;
// the sign bit is turned so that negative keys come first.
void RadixOrder::Sort(const std::vector<int64_t>& keys, uint64_t flip) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  std::vector<Item> items(indices_.size());
  uint64_t differ = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const uint64_t key =
        static_cast<uint64_t>(keys[indices_[i]]) ^ kSign ^ flip;
    items[i] = {key, indices_[i]};
    differ |= key ^ items[0].key;
  }
  std::vector<Item> next(items.size());
  for (int shift = 0; shift < 64 && (differ >> shift) != 0;
       shift += kDigitBits) {
    if (((differ >> shift) & (kDigits - 1)) == 0) continue;
    std::array<uint32_t, kDigits> start = {};
    auto digit = [shift](const Item& item) {
      return static_cast<size_t>((item.key >> shift) & (kDigits - 1));
    };
    for (const Item& item : items) ++start[digit(item)];
    uint32_t sum = 0;
    for (uint32_t& count : start) sum += std::exchange(count, sum);
    for (const Item& item : items) next[start[digit(item)]++] = item;
    items.swap(next);
  }
  for (size_t i = 0; i < items.size(); ++i) indices_[i] = items[i].index;
}

}  // namespace stowplan::solve
