// SPDX-License-Identifier: Apache-2.0
//
// The depth-first search over partial plans.
#pragma once

#include <cstdint>
#include <vector>

#include "stowplan/solve/exact.h"
#include "stowplan/solve/search_budget.h"
#include "stowplan/solve/search_model.h"
#include "stowplan/solve/search_state.h"

namespace stowplan::solve {

enum class SearchEnd { kFound, kExhausted, kStopped };

template <class Height>
class SearchTree {
 public:
  // `ranks` by item: of two that may start at one place, the one of the lower
  // rank is tried first.
  SearchTree(const SearchModel& model, const ExactRules& rules, Bytes limit,
             std::vector<int64_t> ranks);

  // Searches from the root. What it learned about the sections stays.
  SearchEnd Run(SearchBudget* budget);

  const SearchState<Height>& state() const { return state_; }

 private:
  // A choice: what lies at the floor of a section, first of its candidates,
  // last a hole.
  struct Frame {
    SectionRange region;
    int32_t section = 0;
    bool hole_tried = false;
    int32_t pending = -1;        // Head of the regions still to do.
    int32_t fail_to = -1;        // The choice to change if this one is no good.
    uint32_t next = 0, end = 0;  // Of its candidates in `pool_`.
    typename SearchState<Height>::Mark mark;
    uint32_t pendings = 0;
  };
  // A part of the sections with nothing in common with the others left.
  struct Region {
    SectionRange range;
    int32_t fail_to;
    int32_t next;
  };

  void Push(SectionRange region, int32_t pending, int32_t fail_to);
  bool Descend();
  int32_t Pick(SectionRange region) const;

  const SearchModel& model_;
  const ExactRules rules_;
  SearchState<Height> state_;
  std::vector<int64_t> ranks_;
  std::vector<int64_t> weights_;  // Of sections: failures they made.
  std::vector<Frame> frames_;
  std::vector<Region> regions_;
  std::vector<int32_t> pool_;
};

extern template class SearchTree<int32_t>;
extern template class SearchTree<int64_t>;

}  // namespace stowplan::solve
