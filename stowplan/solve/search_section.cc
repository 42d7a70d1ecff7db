// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_section.h"

#include <algorithm>

// The loops below are integer arithmetic: wider registers change their speed
// and nothing else. Other compilers and processors take the plain ones.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STOWPLAN_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define STOWPLAN_WIDE
#endif

namespace stowplan::solve {
namespace {

// Rows are padded to whole vectors.
constexpr uint32_t kLanes = 8;

STOWPLAN_WIDE void Extent32(const int32_t* lowest, uint32_t count,
                            int32_t never, int32_t* floor, int32_t* highest) {
  int32_t least = never, most = 0;
  for (uint32_t k = 0; k < count; ++k) {
    const int32_t at = lowest[k];
    least = at < least ? at : least;
    const int32_t counted = at == never ? 0 : at;
    most = counted > most ? counted : most;
  }
  *floor = least;
  *highest = most;
}

STOWPLAN_WIDE void Above32(const int32_t* lowest, const int32_t* sizes,
                           uint32_t count, int32_t never, int32_t from,
                           int32_t* width, int32_t* sum, int32_t* next) {
  int32_t equal = 0, total = 0, least = never;
  for (uint32_t k = 0; k < count; ++k) {
    const int32_t at = lowest[k];
    equal += at == from ? 1 : 0;
    const int32_t higher = at > from ? at : never;
    total += higher != never ? sizes[k] : 0;
    least = higher < least ? higher : least;
  }
  *width = equal;
  *sum = total;
  *next = least;
}

STOWPLAN_WIDE void Extent64(const int64_t* lowest, uint32_t count,
                            int64_t never, int64_t* floor, int64_t* highest) {
  int64_t least = never, most = 0;
  for (uint32_t k = 0; k < count; ++k) {
    const int64_t at = lowest[k];
    least = at < least ? at : least;
    const int64_t counted = at == never ? 0 : at;
    most = counted > most ? counted : most;
  }
  *floor = least;
  *highest = most;
}

STOWPLAN_WIDE void Above64(const int64_t* lowest, const int64_t* sizes,
                           uint32_t count, int64_t never, int64_t from,
                           int64_t* width, int64_t* sum, int64_t* next) {
  int64_t equal = 0, total = 0, least = never;
  for (uint32_t k = 0; k < count; ++k) {
    const int64_t at = lowest[k];
    equal += at == from ? 1 : 0;
    const int64_t higher = at > from ? at : never;
    total += higher != never ? sizes[k] : 0;
    least = higher < least ? higher : least;
  }
  *width = equal;
  *sum = total;
  *next = least;
}

}  // namespace

template <class Height>
SectionTable<Height>::SectionTable(const SearchModel& model) {
  rows_.push_back(0);
  for (int32_t s = 0; s < model.sections; ++s) {
    const uint32_t count = static_cast<uint32_t>(model.members[s].size());
    rows_.push_back(rows_.back() + (count + kLanes - 1) / kLanes * kLanes);
  }
  lowest_.assign(rows_.back(), kNever);
  sizes_.assign(rows_.back(), 0);
  std::vector<uint32_t> next(rows_.begin(), rows_.end() - 1);
  for (int32_t i = 0; i < model.items(); ++i) {
    const Bytes size = model.sizes[static_cast<size_t>(i)];
    for (const SectionRange& range : model.ranges[i]) {
      for (int32_t s = range.begin; s < range.end; ++s) {
        const uint32_t cell = next[static_cast<size_t>(s)]++;
        sizes_[cell] = static_cast<Height>(size);
        cells_.values.push_back(cell);
      }
    }
    cells_.EndRow();
  }
}

template <class Height>
typename SectionTable<Height>::Extent SectionTable<Height>::FindExtent(
    int32_t section) const {
  const size_t s = static_cast<size_t>(section);
  const uint32_t count = rows_[s + 1] - rows_[s];
  Extent extent;
  if constexpr (sizeof(Height) == 4) {
    Extent32(lowest_.data() + rows_[s], count, kNever, &extent.floor,
             &extent.highest);
  } else {
    Extent64(lowest_.data() + rows_[s], count, kNever, &extent.floor,
             &extent.highest);
  }
  return extent;
}

template <class Height>
typename SectionTable<Height>::Above SectionTable<Height>::FindAbove(
    int32_t section, Height from) const {
  const size_t s = static_cast<size_t>(section);
  const uint32_t count = rows_[s + 1] - rows_[s];
  Above above;
  if constexpr (sizeof(Height) == 4) {
    Above32(lowest_.data() + rows_[s], sizes_.data() + rows_[s], count, kNever,
            from, &above.width, &above.sizes, &above.next);
  } else {
    Above64(lowest_.data() + rows_[s], sizes_.data() + rows_[s], count, kNever,
            from, &above.width, &above.sizes, &above.next);
  }
  return above;
}

template class SectionTable<int32_t>;
template class SectionTable<int64_t>;

}  // namespace stowplan::solve
