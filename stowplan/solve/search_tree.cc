// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_tree.h"

#include <algorithm>
#include <utility>

namespace stowplan::solve {

template <class Height>
SearchTree<Height>::SearchTree(const SearchModel& model,
                               const ExactRules& rules, Bytes limit,
                               std::vector<int64_t> ranks)
    : model_(model),
      rules_(rules),
      state_(model, rules, limit),
      ranks_(std::move(ranks)),
      weights_(static_cast<size_t>(model.sections), 1) {}

template <class Height>
int32_t SearchTree<Height>::Pick(SectionRange region) const {
  constexpr Height kNever = SearchState<Height>::kNever;
  // Runs of sections of the same floor between higher ones: nothing can slip
  // below what starts there.
  const bool local = rules_.fail_first && !model_.gaps;
  int32_t best = -1;
  int64_t best_choices = 0, best_weight = 1;
  Height best_floor = kNever;
  if (!local) {
    for (int32_t s = region.begin; s < region.end; ++s) {
      if (state_.floor(s) < best_floor) {
        best_floor = state_.floor(s);
        best = s;
      }
    }
    if (!rules_.fail_first) return best;
  }
  Height before = kNever;
  const Height lowest = best_floor;
  best = -1;
  for (int32_t s = region.begin; s < region.end;) {
    const Height floor = state_.floor(s);
    int32_t end = s + 1;
    while (end < region.end && state_.floor(end) == floor) ++end;
    const Height after = end < region.end ? state_.floor(end) : kNever;
    const bool open = local ? floor < before && floor < after : floor == lowest;
    for (int32_t t = s; open && t < end; ++t) {
      const int64_t choices = state_.width(t) + (state_.slack(t) > 0 ? 1 : 0);
      const int64_t weight = weights_[static_cast<size_t>(t)];
      if (best < 0 || choices * best_weight < best_choices * weight) {
        best = t;
        best_choices = choices;
        best_weight = weight;
      }
    }
    before = floor;
    s = end;
  }
  return best;
}

template <class Height>
void SearchTree<Height>::Push(SectionRange region, int32_t pending,
                              int32_t fail_to) {
  Frame frame;
  frame.region = region;
  frame.pending = pending;
  frame.fail_to = fail_to;
  frame.section = Pick(region);
  frame.next = static_cast<uint32_t>(pool_.size());
  state_.AppendCandidates(frame.section, &pool_);
  frame.end = static_cast<uint32_t>(pool_.size());
  std::sort(pool_.begin() + frame.next, pool_.end(), [&](int32_t a, int32_t b) {
    const int64_t ra = ranks_[static_cast<size_t>(a)];
    const int64_t rb = ranks_[static_cast<size_t>(b)];
    return ra != rb ? ra < rb : a < b;
  });
  frame.mark = state_.mark();
  frame.pendings = static_cast<uint32_t>(regions_.size());
  frames_.push_back(frame);
}

// Goes on below the choice just made. False if nothing is left to choose.
template <class Height>
bool SearchTree<Height>::Descend() {
  const int32_t parent = static_cast<int32_t>(frames_.size()) - 1;
  SectionRange region = {0, model_.sections};
  int32_t pending = -1;
  if (parent >= 0) {
    region = frames_.back().region;
    pending = frames_.back().pending;
  }
  int32_t fail_to = parent;
  constexpr Height kNever = SearchState<Height>::kNever;
  // Parts of the region, the first of them to be searched next.
  SectionRange first = {0, 0};
  for (int32_t s = region.begin; s < region.end;) {
    if (state_.floor(s) == kNever) {
      ++s;
      continue;
    }
    int32_t end = s + 1;
    if (rules_.decomposition) {
      while (end < region.end && state_.crossed(end)) ++end;
    } else {
      end = region.end;
    }
    if (first.end == 0) {
      first = {s, end};
    } else {
      regions_.push_back({{s, end}, parent, pending});
      pending = static_cast<int32_t>(regions_.size()) - 1;
    }
    s = end;
  }
  if (first.end == 0) {
    if (pending < 0) return false;
    const Region& next = regions_[static_cast<size_t>(pending)];
    first = next.range;
    fail_to = next.fail_to;
    pending = next.next;
  }
  Push(first, pending, fail_to);
  return true;
}

template <class Height>
SearchEnd SearchTree<Height>::Run(SearchBudget* budget) {
  frames_.clear();
  regions_.clear();
  pool_.clear();
  state_.UndoTo({});
  if (!state_.Begin()) return SearchEnd::kExhausted;
  if (!Descend()) return SearchEnd::kFound;
  while (true) {
    Frame& frame = frames_.back();
    state_.UndoTo(frame.mark);
    pool_.resize(frame.end);
    regions_.resize(frame.pendings);
    bool fits = false;
    if (frame.next < frame.end) {
      const int32_t item = pool_[frame.next++];
      if (!budget->Spend(static_cast<uint64_t>(item) + 1)) {
        return SearchEnd::kStopped;
      }
      fits = state_.Place(item);
    } else if (!frame.hole_tried && !state_.IsTight(frame.section)) {
      frame.hole_tried = true;
      if (!budget->Spend(0)) return SearchEnd::kStopped;
      fits = state_.LeaveHole(frame.section);
    } else {
      const int32_t fail_to = frame.fail_to;
      if (fail_to < 0) return SearchEnd::kExhausted;
      frames_.resize(static_cast<size_t>(fail_to) + 1);
      continue;
    }
    if (fits) {
      if (!Descend()) return SearchEnd::kFound;
    } else if (state_.failed_section() >= 0) {
      ++weights_[static_cast<size_t>(state_.failed_section())];
    }
  }
}

template class SearchTree<int32_t>;
template class SearchTree<int64_t>;

}  // namespace stowplan::solve
