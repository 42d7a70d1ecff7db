// SPDX-License-Identifier: Apache-2.0
//
// What the search knows about the sections, laid out for the inner loop: each
// section has the lowest offsets and the sizes of its items side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "stowplan/solve/search_model.h"

namespace stowplan::solve {

// Heights are counted in 32 bits if they fit, which doubles what a vector
// register holds.
template <class Height>
class SectionTable {
 public:
  // The lowest offset of what has been placed: over every height.
  static constexpr Height kNever = Height{1} << (8 * sizeof(Height) - 2);

  // All lowest offsets are kNever.
  explicit SectionTable(const SearchModel& model);

  // In every section of the item. O(its sections).
  void Set(int32_t item, Height lowest) {
    for (uint32_t cell : cells_[item]) lowest_[cell] = lowest;
  }

  struct Extent {
    Height floor;    // The least of the lowest offsets; kNever for none.
    Height highest;  // The largest; 0 for none.
  };
  Extent FindExtent(int32_t section) const;

  struct Above {
    Height width;  // How many items have the lowest offset `from`.
    Height sizes;  // The sum of the sizes of those that have a higher one.
    Height next;   // The least higher one; kNever for none.
  };
  Above FindAbove(int32_t section, Height from) const;

 private:
  std::vector<uint32_t> rows_;  // Where each section starts.
  Rows<uint32_t> cells_;        // Of each item, one per section.
  std::vector<Height> lowest_;
  std::vector<Height> sizes_;
};

extern template class SectionTable<int32_t>;
extern template class SectionTable<int64_t>;

}  // namespace stowplan::solve
