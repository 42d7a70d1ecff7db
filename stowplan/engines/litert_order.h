// SPDX-License-Identifier: Apache-2.0
//
// The order of equals. LiteRT collects each node's tensors in a hash set and
// sorts them with an unstable sort, so which of two equally large tensors of
// one node is placed first depends on its C++ library. These two follow
// libstdc++, which the published packages are built with, step by step; both
// give the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stowplan::engines {

// Ids in the order in which libstdc++'s std::unordered_set<int> hands them
// out: chained in one list, a new id in front of those of its bucket, or of
// the list if the bucket is empty; on growth the list is chained anew in its
// old order.
class HashOrder {
 public:
  // Does nothing if the id is there. O(ids).
  void Insert(int32_t id);
  const std::vector<int32_t>& ids() const { return ids_; }

 private:
  void Chain(int32_t id);

  std::vector<int32_t> ids_;
  size_t buckets_ = 1;
  size_t next_growth_ = 0;
};

// Introsort (Musser, Software: Practice and Experience, 1997) with the choices
// of libstdc++'s std::sort: median of the second, the middle and the last as
// pivot, insertion sort below 17, heap sort at depth 2 log2 n.
// `Less(a, b)` is a strict weak order. O(n log n).
template <class Less>
class IntroSort {
 public:
  IntroSort(std::vector<int32_t>* ids, Less less)
      : ids_(*ids), less_(std::move(less)) {}

  void Run() {
    const size_t count = ids_.size();
    if (count < 2) return;
    size_t depth = 0;
    for (size_t n = count; n > 1; n >>= 1) depth += 2;
    Partition(0, count, depth);
    for (size_t i = 1; i < count; ++i) Insert(i);
  }

 private:
  static constexpr size_t kSmall = 16;

  void Partition(size_t first, size_t last, size_t depth) {
    while (last - first > kSmall) {
      if (depth == 0) return HeapSort(first, last - first);
      --depth;
      const size_t cut = Split(first, last);
      Partition(cut, last, depth);
      last = cut;
    }
  }

  // Puts the median at `first` and parts the rest around it.
  size_t Split(size_t first, size_t last) {
    std::swap(ids_[first],
              ids_[Median(first + 1, first + (last - first) / 2, last - 1)]);
    size_t low = first + 1;
    size_t high = last;
    while (true) {
      while (less_(ids_[low], ids_[first])) ++low;
      --high;
      while (less_(ids_[first], ids_[high])) --high;
      if (low >= high) return low;
      std::swap(ids_[low], ids_[high]);
      ++low;
    }
  }

  size_t Median(size_t a, size_t b, size_t c) const {
    if (less_(ids_[a], ids_[b])) {
      if (less_(ids_[b], ids_[c])) return b;
      return less_(ids_[a], ids_[c]) ? c : a;
    }
    if (less_(ids_[a], ids_[c])) return a;
    return less_(ids_[b], ids_[c]) ? c : b;
  }

  void Insert(size_t i) {
    const int32_t id = ids_[i];
    while (i > 0 && less_(id, ids_[i - 1])) {
      ids_[i] = ids_[i - 1];
      --i;
    }
    ids_[i] = id;
  }

  void HeapSort(size_t first, size_t count) {
    for (size_t parent = (count - 2) / 2 + 1; parent-- > 0;) {
      Sift(first, parent, count, ids_[first + parent]);
    }
    for (size_t end = count; --end > 0;) {
      const int32_t id = ids_[first + end];
      ids_[first + end] = ids_[first];
      Sift(first, 0, end, id);
    }
  }

  // Fills the hole with the larger child down to a leaf, then lets `id` rise.
  void Sift(size_t first, size_t hole, size_t count, int32_t id) {
    const size_t top = hole;
    size_t child = hole;
    while (child < (count - 1) / 2) {
      child = 2 * (child + 1);
      if (less_(ids_[first + child], ids_[first + child - 1])) --child;
      ids_[first + hole] = ids_[first + child];
      hole = child;
    }
    if (count % 2 == 0 && child == (count - 2) / 2) {
      child = 2 * (child + 1);
      ids_[first + hole] = ids_[first + child - 1];
      hole = child - 1;
    }
    while (hole > top && less_(ids_[first + (hole - 1) / 2], id)) {
      ids_[first + hole] = ids_[first + (hole - 1) / 2];
      hole = (hole - 1) / 2;
    }
    ids_[first + hole] = id;
  }

  std::vector<int32_t>& ids_;
  Less less_;
};

}  // namespace stowplan::engines
