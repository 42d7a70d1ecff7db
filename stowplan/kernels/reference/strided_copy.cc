// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/strided_copy.h"

#include <cstring>

namespace stowplan::kernels::reference {
namespace {

// Calls use(from offset, to offset) for each row, the rows of all axes but
// the last.
template <class Sizes, class Use>
void ForEachRow(size_t outer, const Sizes& sizes, const Sizes& from,
                const Sizes& to, const Use& use) {
  Sizes index = {};
  int64_t from_offset = 0;
  int64_t to_offset = 0;
  while (true) {
    use(from_offset, to_offset);
    size_t axis = outer;
    while (axis-- > 0) {
      from_offset += from[axis];
      to_offset += to[axis];
      if (++index[axis] < sizes[axis]) break;
      from_offset -= from[axis] * sizes[axis];
      to_offset -= to[axis] * sizes[axis];
      index[axis] = 0;
    }
    if (axis == SIZE_MAX) return;
  }
}

}  // namespace

void StridedCopy::Add(int64_t size, int64_t from_stride, int64_t to_stride) {
  count_ *= size;
  if (size == 1) return;
  if (axes_ > 0 && from_[axes_ - 1] == size * from_stride &&
      to_[axes_ - 1] == size * to_stride) {
    sizes_[axes_ - 1] *= size;
    from_[axes_ - 1] = from_stride;
    to_[axes_ - 1] = to_stride;
    return;
  }
  sizes_[axes_] = size;
  from_[axes_] = from_stride;
  to_[axes_] = to_stride;
  ++axes_;
}

template <class T>
void StridedCopy::RunTyped(const T* from, T* to) const {
  const size_t last = axes_ - 1;
  const int64_t size = sizes_[last];
  const int64_t from_stride = from_[last];
  const int64_t to_stride = to_[last];
  ForEachRow(last, sizes_, from_, to_,
             [&](int64_t from_offset, int64_t to_offset) {
               const T* source = from + from_offset;
               T* target = to + to_offset;
               for (int64_t i = 0; i < size; ++i) {
                 target[i * to_stride] = source[i * from_stride];
               }
             });
}

void StridedCopy::RunBytes(const std::byte* from, std::byte* to,
                           int64_t element) const {
  const size_t last = axes_ - 1;
  const bool whole_rows = from_[last] == 1 && to_[last] == 1;
  ForEachRow(last, sizes_, from_, to_,
             [&](int64_t from_offset, int64_t to_offset) {
               const std::byte* source = from + from_offset * element;
               std::byte* target = to + to_offset * element;
               if (whole_rows) {
                 std::memcpy(target, source,
                             static_cast<size_t>(sizes_[last] * element));
                 return;
               }
               for (int64_t i = 0; i < sizes_[last]; ++i) {
                 std::memcpy(target + i * to_[last] * element,
                             source + i * from_[last] * element,
                             static_cast<size_t>(element));
               }
             });
}

void StridedCopy::Run(const std::byte* from, std::byte* to,
                      int64_t element) const {
  if (count_ == 0) return;
  if (axes_ == 0) {
    std::memcpy(to, from, static_cast<size_t>(element));
    return;
  }
  const bool whole_rows = from_[axes_ - 1] == 1 && to_[axes_ - 1] == 1;
  if (!whole_rows && element == 1) {
    RunTyped(reinterpret_cast<const uint8_t*>(from),
             reinterpret_cast<uint8_t*>(to));
  } else if (!whole_rows && element == 4) {
    RunTyped(reinterpret_cast<const uint32_t*>(from),
             reinterpret_cast<uint32_t*>(to));
  } else {
    RunBytes(from, to, element);
  }
}

}  // namespace stowplan::kernels::reference
