// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_state.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stowplan::solve {

template <class Height>
SearchState<Height>::SearchState(const SearchModel& model,
                                 const ExactRules& rules, Bytes limit)
    : model_(model),
      rules_(rules),
      limit_(static_cast<Height>(std::min<Bytes>(limit, kNever - 1))),
      sizes_(model.sizes.begin(), model.sizes.end()),
      keys_(model.size()),
      offsets_(model.size()),
      debts_(model.size()),
      rivals_(model.size()),
      twin_before_(model.size(), -1),
      family_(model.size(), -1),
      table_(model),
      floors_(Index(model.sections)),
      left_(Index(model.sections)),
      widths_(Index(model.sections)),
      crossing_(Index(model.sections)),
      touched_(Index(model.sections) + 1) {
  FindTwins();
}

// Twins are items that differ in nothing; a family those that differ in
// nothing but size, as long as alignments and pins do not matter.
template <class Height>
void SearchState<Height>::FindTwins() {
  std::vector<int32_t> sorted(model_.size());
  for (int32_t i = 0; i < model_.items(); ++i) sorted[Index(i)] = i;
  auto kind = [&](int32_t i) {
    const auto ranges = model_.ranges[i];
    return std::tuple(ranges.size(), ranges.front().begin, ranges.back().end,
                      model_.alignments[Index(i)], sizes_[Index(i)], i);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](int32_t a, int32_t b) { return kind(a) < kind(b); });
  for (size_t k = 1; k < sorted.size(); ++k) {
    const int32_t a = sorted[k - 1];
    const int32_t b = sorted[k];
    if (model_.pinned[Index(a)] >= 0 || model_.pinned[Index(b)] >= 0) continue;
    if (model_.alignments[Index(a)] != model_.alignments[Index(b)] ||
        !std::equal(model_.ranges[a].begin(), model_.ranges[a].end(),
                    model_.ranges[b].begin(), model_.ranges[b].end())) {
      continue;
    }
    if (sizes_[Index(a)] == sizes_[Index(b)]) twin_before_[Index(b)] = a;
    if (model_.alignments[Index(a)] > 1) continue;
    if (family_[Index(a)] < 0) {
      family_[Index(a)] = static_cast<int32_t>(families_.size());
      families_.emplace_back();
    }
    family_[Index(b)] = family_[Index(a)];
  }
}

template <class Height>
Height SearchState<Height>::NextFree(int32_t item, Height from) const {
  const Height size = sizes_[Index(item)];
  const Height mask = static_cast<Height>(model_.alignments[Index(item)] - 1);
  auto round_up = [mask](Height at) {
    return static_cast<Height>((at + mask) & ~mask);
  };
  Height at = round_up(from);
  for (int32_t obstacle : model_.obstacles[item]) {
    const Height begin = static_cast<Height>(model_.pinned[Index(obstacle)]);
    const Height end = begin + sizes_[Index(obstacle)];
    if (at < end && begin < at + size) at = round_up(end);
  }
  return at;
}

template <class Height>
bool SearchState<Height>::Over(Height height, int32_t section) {
  if (height <= limit_) return false;
  next_limit_ = std::min(next_limit_, height);
  failed_section_ = section;
  return true;
}

template <class Height>
void SearchState<Height>::SetKey(int32_t item, Height key) {
  keys_log_.push_back({item, keys_[Index(item)]});
  keys_[Index(item)] = key;
  table_.Set(item, key);
}

template <class Height>
void SearchState<Height>::Touch(const SectionRange& range) {
  ++touched_[Index(range.begin)];
  --touched_[Index(range.end)];
  touched_begin_ = std::min(touched_begin_, range.begin);
  touched_end_ = std::max(touched_end_, range.end);
}

template <class Height>
void SearchState<Height>::Touch(int32_t item) {
  for (const SectionRange& range : model_.ranges[item]) Touch(range);
}

template <class Height>
bool SearchState<Height>::PinsCollide() const {
  for (int32_t i = 0; i < model_.items(); ++i) {
    const Bytes pin = model_.pinned[Index(i)];
    if (pin < 0) continue;
    for (int32_t other : model_.obstacles[i]) {
      const Bytes begin = model_.pinned[Index(other)];
      if (pin < begin + model_.sizes[Index(other)] &&
          begin < pin + model_.sizes[Index(i)]) {
        return true;
      }
    }
  }
  return false;
}

template <class Height>
bool SearchState<Height>::Begin() {
  if (PinsCollide()) return false;
  if (model_.alone > limit_) {
    next_limit_ = static_cast<Height>(model_.alone);
    return false;
  }
  lonely_.clear();
  std::fill(left_.begin(), left_.end(), Height{0});
  std::fill(crossing_.begin(), crossing_.end(), 0);
  std::fill(families_.begin(), families_.end(), Family());
  for (int32_t i = 0; i < model_.items(); ++i) {
    const Bytes pin = model_.pinned[Index(i)];
    keys_[Index(i)] = pin >= 0 ? static_cast<Height>(pin) : NextFree(i, 0);
    table_.Set(i, keys_[Index(i)]);
    rivals_[Index(i)] = static_cast<int32_t>(model_.conflicts[i].size());
    if (rivals_[Index(i)] == 0) lonely_.push_back(i);
    for (const SectionRange& range : model_.ranges[i]) {
      for (int32_t s = range.begin; s < range.end; ++s) {
        left_[Index(s)] += sizes_[Index(i)];
      }
    }
    const SectionRange hull = model_.Hull(i);
    for (int32_t s = hull.begin + 1; s < hull.end; ++s) ++crossing_[Index(s)];
  }
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  if (model_.sections > 0) Touch(SectionRange{0, model_.sections});
  return CheckTouched() && PlaceLonely();
}

template <class Height>
void SearchState<Height>::PutDown(int32_t item) {
  const Height at = keys_[Index(item)];
  const Height size = sizes_[Index(item)];
  const Height top = at + size;
  offsets_[Index(item)] = at;
  SetKey(item, kNever);
  placed_log_.push_back({item, {}});
  if (const int32_t family = family_[Index(item)]; family >= 0) {
    placed_log_.back().family = families_[Index(family)];
    families_[Index(family)] = {top, size};
  }
  for (const SectionRange& range : model_.ranges[item]) {
    for (int32_t s = range.begin; s < range.end; ++s) left_[Index(s)] -= size;
  }
  const SectionRange hull = model_.Hull(item);
  for (int32_t s = hull.begin + 1; s < hull.end; ++s) --crossing_[Index(s)];
  Touch(item);
  for (int32_t k : model_.conflicts[item]) {
    if (--rivals_[Index(k)] == 0) lonely_.push_back(k);
    const Height key = keys_[Index(k)];
    if (key == kNever) continue;
    if (debts_[Index(k)] > at) {
      debts_log_.push_back({k, debts_[Index(k)]});
      debts_[Index(k)] = 0;
    }
    if (key >= top || model_.pinned[Index(k)] >= 0) continue;
    SetKey(k, NextFree(k, top));
    Touch(k);
  }
}

template <class Height>
bool SearchState<Height>::Place(int32_t item) {
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  lonely_.clear();
  PutDown(item);
  return CheckTouched() && PlaceLonely();
}

// What conflicts with nothing any more is out of everybody's way.
template <class Height>
bool SearchState<Height>::PlaceLonely() {
  if (!rules_.hatless || lonely_.empty()) return true;
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  for (size_t k = 0; k < lonely_.size(); ++k) {
    const int32_t item = lonely_[k];
    if (placed(item)) continue;
    // The hole that it was kept out of stayed empty.
    if (debts_[Index(item)] > 0) return CheckTouched() && false;
    PutDown(item);
  }
  return CheckTouched();
}

// The least offset above the floor at which an item of the section can start
// in a plan in which nothing can be moved down.
template <class Height>
Height SearchState<Height>::AfterHole(int32_t section) const {
  const Height floor = floors_[Index(section)];
  Height after = kNever;
  for (int32_t i : model_.members[section]) {
    const Height key = keys_[Index(i)];
    if (key > floor) {
      after = std::min(after, key);
      continue;
    }
    if (model_.pinned[Index(i)] >= 0) return kNever;
    // It will rest on something that is not placed yet.
    Height support = kNever;
    for (int32_t k : model_.conflicts[i]) {
      if (placed(k)) continue;
      const Height top = keys_[Index(k)] + sizes_[Index(k)];
      support = std::min(support, top);
      if (top <= floor + 1) break;
    }
    if (support < kNever) after = std::min(after, NextFree(i, support));
  }
  return after;
}

template <class Height>
bool SearchState<Height>::IsTight(int32_t section) {
  if (slack(section) > 0) return false;
  // The least height is costly to know, and often no news.
  const Height left = left_[Index(section)];
  if (floors_[Index(section)] + left + 1 < next_limit_) {
    if (const Height after = AfterHole(section); after != kNever) {
      next_limit_ = std::min<Height>(next_limit_, after + left);
    }
  }
  return true;
}

// What could have started at the floor must have been kept from it for a
// reason: before it is placed something has to be put where it would have
// lain. Its debt is the height below which that has to happen.
template <class Height>
bool SearchState<Height>::LeaveHole(int32_t section) {
  const Height floor = floors_[Index(section)];
  const Height after = AfterHole(section);
  if (after == kNever) {
    failed_section_ = section;
    return false;
  }
  if (Over(after + left_[Index(section)], section)) return false;
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  for (int32_t i : model_.members[section]) {
    const Height key = keys_[Index(i)];
    if (key >= after) continue;  // Placed or higher.
    if (key == floor && debts_[Index(i)] == 0 && rules_.dominance) {
      debts_log_.push_back({i, 0});
      debts_[Index(i)] = key + sizes_[Index(i)];
    }
    SetKey(i, NextFree(i, after));
    Touch(i);
  }
  return CheckTouched();
}

template <class Height>
bool SearchState<Height>::CheckTouched() {
  bool fits = true;
  int32_t covered = 0;
  for (int32_t s = touched_begin_; s < touched_end_; ++s) {
    covered += touched_[Index(s)];
    touched_[Index(s)] = 0;
    if (fits && covered > 0) fits = CheckSection(s);
  }
  if (touched_begin_ < touched_end_) touched_[Index(touched_end_)] = 0;
  return fits;
}

// Each section is a machine and its items jobs: none can start before its
// lowest offset, no two at once. For every offset, all items that start at
// it or above need their sizes.
template <class Height>
bool SearchState<Height>::CheckSection(int32_t section) {
  const auto extent = table_.FindExtent(section);
  const Height floor = extent.floor;
  const auto at_floor = table_.FindAbove(section, floor);
  const size_t s = Index(section);
  const int32_t width = static_cast<int32_t>(at_floor.width);
  if (floor != floors_[s] || width != widths_[s]) {
    floors_log_.push_back({section, widths_[s], floors_[s]});
    floors_[s] = floor;
    widths_[s] = width;
  }
  if (floor == kNever) return true;
  if (Over(floor + left_[s], section)) return false;
  if (!rules_.release_bound) return true;
  auto above = at_floor;
  while (above.next < kNever && extent.highest + above.sizes > limit_) {
    if (Over(above.next + above.sizes, section)) return false;
    above = table_.FindAbove(section, above.next);
  }
  return true;
}

template <class Height>
void SearchState<Height>::UndoTo(const Mark& mark) {
  while (placed_log_.size() > mark.placed) {
    const auto [item, family] = placed_log_.back();
    placed_log_.pop_back();
    if (family_[Index(item)] >= 0) {
      families_[Index(family_[Index(item)])] = family;
    }
    const Height size = sizes_[Index(item)];
    for (const SectionRange& range : model_.ranges[item]) {
      for (int32_t s = range.begin; s < range.end; ++s) left_[Index(s)] += size;
    }
    const SectionRange hull = model_.Hull(item);
    for (int32_t s = hull.begin + 1; s < hull.end; ++s) ++crossing_[Index(s)];
    for (int32_t k : model_.conflicts[item]) ++rivals_[Index(k)];
  }
  while (keys_log_.size() > mark.keys) {
    const auto [item, key] = keys_log_.back();
    keys_[Index(item)] = key;
    table_.Set(item, key);
    keys_log_.pop_back();
  }
  while (debts_log_.size() > mark.debts) {
    debts_[Index(debts_log_.back().item)] = debts_log_.back().key;
    debts_log_.pop_back();
  }
  while (floors_log_.size() > mark.floors) {
    const FloorUndo& undo = floors_log_.back();
    floors_[Index(undo.section)] = undo.floor;
    widths_[Index(undo.section)] = undo.width;
    floors_log_.pop_back();
  }
}

template <class Height>
bool SearchState<Height>::IsTurn(int32_t item) const {
  const int32_t twin = twin_before_[Index(item)];
  if (rules_.twins && twin >= 0 && !placed(twin)) return false;
  const int32_t family = family_[Index(item)];
  if (rules_.families && family >= 0) {
    const Family& last = families_[Index(family)];
    if (last.top == keys_[Index(item)] && sizes_[Index(item)] > last.size) {
      return false;
    }
  }
  return debts_[Index(item)] == 0;
}

template <class Height>
void SearchState<Height>::AppendCandidates(int32_t section,
                                           std::vector<int32_t>* out) const {
  const Height floor = floors_[Index(section)];
  for (int32_t i : model_.members[section]) {
    if (keys_[Index(i)] == floor && IsTurn(i)) out->push_back(i);
  }
}

template class SearchState<int32_t>;
template class SearchState<int64_t>;

}  // namespace stowplan::solve
