// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_greedy.h"

#include <algorithm>
#include <cstddef>

namespace stowplan::engines {
namespace {

bool InUseTogether(const GreedyBuffer& a, const GreedyBuffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

// The order in which buffers are placed.
std::vector<size_t> Order(const std::vector<GreedyBuffer>& buffers) {
  std::vector<size_t> order;
  order.reserve(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].pinned) order.push_back(i);
  }
  const auto free = static_cast<std::ptrdiff_t>(order.size());
  for (size_t i = buffers.size(); i-- > 0;) {
    if (!buffers[i].pinned) order.push_back(i);
  }
  // The real one is a bubble sort of the reversed list: stable.
  std::stable_sort(order.begin() + free, order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  return order;
}

}  // namespace

std::vector<Bytes> PlaceGreedily(const std::vector<GreedyBuffer>& buffers) {
  std::vector<Bytes> offsets(buffers.size(), 0);
  std::vector<size_t> placed;  // In ascending order of offsets.
  placed.reserve(buffers.size());
  for (size_t i : Order(buffers)) {
    const GreedyBuffer& buffer = buffers[i];
    Bytes offset = 0;
    if (buffer.pinned) {
      offset = *buffer.pinned;
    } else {
      for (size_t other : placed) {
        if (!InUseTogether(buffers[other], buffer)) continue;
        if (offsets[other] - offset >= buffer.bytes) break;
        offset = std::max(offset, offsets[other] + buffers[other].bytes);
      }
    }
    offsets[i] = offset;
    const auto behind = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](Bytes value, size_t other) { return value < offsets[other]; });
    placed.insert(behind, i);
  }
  return offsets;
}

Bytes TopOf(const std::vector<GreedyBuffer>& buffers,
            const std::vector<Bytes>& offsets) {
  Bytes top = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    top = std::max(top, offsets[i] + buffers[i].bytes);
  }
  return top;
}

}  // namespace stowplan::engines
