// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_state.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace stowplan::solve {
namespace {

Bytes RoundUp(Bytes value, Bytes alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace

SearchState::SearchState(const SearchModel& model, const ExactRules& rules,
                         Bytes limit)
    : model_(model),
      rules_(rules),
      limit_(limit),
      keys_(model.size()),
      offsets_(model.size()),
      debts_(model.size()),
      rivals_(model.size()),
      twin_before_(model.size(), -1),
      family_(model.size(), -1),
      sections_(Index(model.sections)),
      touched_(Index(model.sections) + 1) {
  size_t most = 0;
  for (int32_t s = 0; s < model.sections; ++s) {
    most = std::max(most, model.members[s].size());
  }
  keys_here_.resize(most);
  sizes_here_.resize(most);
  // Items of the same sections, by size.
  std::vector<int32_t> by_span(model.size());
  for (int32_t i = 0; i < model.items(); ++i) by_span[Index(i)] = i;
  auto span = [&](int32_t i) {
    const SectionRange& first = model.ranges[i][0];
    return std::tuple(model.ranges[i].size(), first.begin, first.end);
  };
  auto same = [&](int32_t a, int32_t b) {
    return std::equal(model.ranges[a].begin(), model.ranges[a].end(),
                      model.ranges[b].begin(), model.ranges[b].end());
  };
  auto kind = [&](int32_t i) {
    return std::tuple(span(i), model.sizes[Index(i)],
                      model.alignments[Index(i)], i);
  };
  std::sort(by_span.begin(), by_span.end(),
            [&](int32_t a, int32_t b) { return kind(a) < kind(b); });
  for (size_t k = 1; k < by_span.size(); ++k) {
    const int32_t a = by_span[k - 1];
    const int32_t b = by_span[k];
    if (model.pinned[Index(a)] >= 0 || model.pinned[Index(b)] >= 0) continue;
    if (model.sizes[Index(a)] == model.sizes[Index(b)] &&
        model.alignments[Index(a)] == model.alignments[Index(b)] &&
        same(a, b)) {
      twin_before_[Index(b)] = a;
    }
  }
}

Bytes SearchState::NextFree(int32_t item, Bytes from) const {
  const Bytes size = model_.sizes[Index(item)];
  const Bytes alignment = model_.alignments[Index(item)];
  Bytes at = RoundUp(from, alignment);
  for (int32_t obstacle : model_.obstacles[item]) {
    const Bytes begin = model_.pinned[Index(obstacle)];
    const Bytes end = begin + model_.sizes[Index(obstacle)];
    if (at < end && begin < at + size) at = RoundUp(end, alignment);
  }
  return at;
}

bool SearchState::Over(Bytes height, int32_t section) {
  if (height <= limit_) return false;
  next_limit_ = std::min(next_limit_, height);
  failed_section_ = section;
  return true;
}

void SearchState::SetKey(int32_t item, Bytes key) {
  keys_log_.push_back({item, keys_[Index(item)]});
  keys_[Index(item)] = key;
}

void SearchState::Touch(const SectionRange& range) {
  ++touched_[Index(range.begin)];
  --touched_[Index(range.end)];
  touched_begin_ = std::min(touched_begin_, range.begin);
  touched_end_ = std::max(touched_end_, range.end);
}

void SearchState::Touch(int32_t item) {
  for (const SectionRange& range : model_.ranges[item]) Touch(range);
}

bool SearchState::Begin() {
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  for (int32_t i = 0; i < model_.items(); ++i) {
    const Bytes pin = model_.pinned[Index(i)];
    keys_[Index(i)] = pin >= 0 ? pin : NextFree(i, 0);
    rivals_[Index(i)] = static_cast<int32_t>(model_.conflicts[i].size());
    if (rivals_[Index(i)] == 0) lonely_.push_back(i);
    for (int32_t s = hull(i).begin + 1; s < hull(i).end; ++s) {
      ++sections_[Index(s)].crossing;
    }
    if (pin < 0) continue;
    for (int32_t other : model_.obstacles[i]) {
      const Bytes begin = model_.pinned[Index(other)];
      if (pin < begin + model_.sizes[Index(other)] &&
          begin < pin + model_.sizes[Index(i)]) {
        return false;  // At no limit.
      }
    }
  }
  for (int32_t s = 0; s < model_.sections; ++s) {
    for (int32_t i : model_.members[s]) {
      sections_[Index(s)].left += model_.sizes[Index(i)];
    }
  }
  Touch(SectionRange{0, model_.sections});
  return CheckTouched() && PlaceLonely();
}

void SearchState::PutDown(int32_t item) {
  const Bytes at = keys_[Index(item)];
  const Bytes size = model_.sizes[Index(item)];
  const Bytes top = at + size;
  offsets_[Index(item)] = at;
  SetKey(item, kNever);
  placed_log_.push_back(item);
  for (const SectionRange& range : model_.ranges[item]) {
    for (int32_t s = range.begin; s < range.end; ++s) {
      sections_[Index(s)].left -= size;
    }
  }
  for (int32_t s = hull(item).begin + 1; s < hull(item).end; ++s) {
    --sections_[Index(s)].crossing;
  }
  Touch(item);
  for (int32_t k : model_.conflicts[item]) {
    if (--rivals_[Index(k)] == 0) lonely_.push_back(k);
    const Bytes key = keys_[Index(k)];
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

bool SearchState::Place(int32_t item) {
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  lonely_.clear();
  PutDown(item);
  return CheckTouched() && PlaceLonely();
}

bool SearchState::PlaceLonely() {
  if (!rules_.hatless) return true;
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  bool minimal = true;
  for (size_t k = 0; k < lonely_.size(); ++k) {
    const int32_t item = lonely_[k];
    if (placed(item)) continue;
    if (debts_[Index(item)] > 0) minimal = false;
    PutDown(item);
  }
  return CheckTouched() && minimal;
}

Bytes SearchState::AfterHole(int32_t section) const {
  const Bytes floor = sections_[Index(section)].floor;
  Bytes after = kNever;
  for (int32_t i : model_.members[section]) {
    const Bytes key = keys_[Index(i)];
    if (key > floor) {
      after = std::min(after, key);
      continue;
    }
    if (model_.pinned[Index(i)] >= 0) return kNever;
    // It will rest on something that is not placed yet.
    Bytes support = kNever;
    for (int32_t k : model_.conflicts[i]) {
      if (placed(k)) continue;
      support = std::min(support, keys_[Index(k)] + model_.sizes[Index(k)]);
    }
    if (support < kNever) after = std::min(after, NextFree(i, support));
  }
  return after;
}

bool SearchState::CanLeaveHole(int32_t section) const {
  return slack(section) > 0 || !model_.exact;
}

bool SearchState::LeaveHole(int32_t section) {
  const Section at = sections_[Index(section)];
  const Bytes after = AfterHole(section);
  if (after == kNever) return false;
  if (Over(after + at.left, section)) return false;
  touched_begin_ = model_.sections;
  touched_end_ = 0;
  for (int32_t i : model_.members[section]) {
    const Bytes key = keys_[Index(i)];
    if (key >= after) continue;  // Placed or higher.
    if (key == at.floor && debts_[Index(i)] == 0 && rules_.dominance) {
      debts_log_.push_back({i, 0});
      debts_[Index(i)] = key + model_.sizes[Index(i)];
    }
    SetKey(i, NextFree(i, after));
    Touch(i);
  }
  return CheckTouched();
}

bool SearchState::CheckTouched() {
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

bool SearchState::CheckSection(int32_t section) {
  const std::span<const int32_t> members = model_.members[section];
  // What is not placed, without a branch.
  Bytes* const keys = keys_here_.data();
  Bytes* const sizes = sizes_here_.data();
  size_t count = 0;
  for (int32_t item : members) {
    const Bytes key = keys_[Index(item)];
    keys[count] = key;
    sizes[count] = model_.sizes[Index(item)];
    count += key != kNever;
  }
  Bytes floor = kNever, highest = 0;
  for (size_t k = 0; k < count; ++k) {
    floor = std::min(floor, keys[k]);
    highest = std::max(highest, keys[k]);
  }
  int32_t width = 0;
  for (size_t k = 0; k < count; ++k) width += keys[k] == floor;
  Section& at = sections_[Index(section)];
  if (floor != at.floor || width != at.width) {
    floors_log_.push_back({section, at.floor, at.width});
    at.floor = floor;
    at.width = width;
  }
  if (count == 0) return true;
  if (Over(floor + at.left, section)) return false;
  if (!rules_.release_bound) return true;
  // From every lowest offset up, all that cannot start below it.
  Bytes above = at.left;
  Bytes from = floor;
  while (highest + above > limit_) {
    Bytes next = kNever;
    above = 0;
    for (size_t k = 0; k < count; ++k) {
      const bool higher = keys[k] > from;
      above += higher ? sizes[k] : 0;
      next = std::min(next, higher ? keys[k] : kNever);
    }
    if (next == kNever) break;
    if (Over(next + above, section)) return false;
    from = next;
  }
  return true;
}

void SearchState::UndoTo(const Mark& mark) {
  while (placed_log_.size() > mark.placed) {
    const int32_t item = placed_log_.back();
    placed_log_.pop_back();
    const Bytes size = model_.sizes[Index(item)];
    for (const SectionRange& range : model_.ranges[item]) {
      for (int32_t s = range.begin; s < range.end; ++s) {
        sections_[Index(s)].left += size;
      }
    }
    for (int32_t s = hull(item).begin + 1; s < hull(item).end; ++s) {
      ++sections_[Index(s)].crossing;
    }
    for (int32_t k : model_.conflicts[item]) ++rivals_[Index(k)];
  }
  while (keys_log_.size() > mark.keys) {
    keys_[Index(keys_log_.back().item)] = keys_log_.back().key;
    keys_log_.pop_back();
  }
  while (debts_log_.size() > mark.debts) {
    debts_[Index(debts_log_.back().item)] = debts_log_.back().key;
    debts_log_.pop_back();
  }
  while (floors_log_.size() > mark.floors) {
    const FloorUndo& undo = floors_log_.back();
    sections_[Index(undo.section)].floor = undo.floor;
    sections_[Index(undo.section)].width = undo.width;
    floors_log_.pop_back();
  }
}

bool SearchState::IsTurn(int32_t item) const {
  if (rules_.twins) {
    const int32_t twin = twin_before_[Index(item)];
    if (twin >= 0 && !placed(twin)) return false;
  }
  return debts_[Index(item)] == 0;
}

void SearchState::AppendCandidates(int32_t section,
                                   std::vector<int32_t>* out) const {
  const Bytes floor = sections_[Index(section)].floor;
  for (int32_t i : model_.members[section]) {
    if (keys_[Index(i)] == floor && IsTurn(i)) out->push_back(i);
  }
}

}  // namespace stowplan::solve
