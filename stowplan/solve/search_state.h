// SPDX-License-Identifier: Apache-2.0
//
// A partial plan under a height limit, with everything the search knows about
// what is left, and undo.
//
// The plan grows from the ground up. Every item not placed yet has a lowest
// offset that the items below it leave; the floor of a section is the least
// of them over its items.
//
//   offset
//     limit  ------------------
//     floor    ____        ____     c not placed: lowest offset 3, that of
//     3           |__c___|          the floor of its sections
//     0        aaaa|bbbbb|dddd
//              sections
#pragma once

#include <cstdint>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/solve/exact.h"
#include "stowplan/solve/search_model.h"

namespace stowplan::solve {

class SearchState {
 public:
  static constexpr Bytes kNever = Bytes{1} << 62;

  // Marks a state to come back to.
  struct Mark {
    size_t keys = 0, placed = 0, debts = 0, floors = 0;
  };

  SearchState(const SearchModel& model, const ExactRules& rules, Bytes limit);

  // Nothing is placed. False if that already is over the limit.
  bool Begin();

  // Puts an item at its lowest offset. False if what is left cannot fit any
  // more; the state is then good for nothing but `UndoTo`.
  bool Place(int32_t item);
  // Decides that no item of the section starts at its floor.
  bool LeaveHole(int32_t section);

  Mark mark() const {
    return {keys_log_.size(), placed_log_.size(), debts_log_.size(),
            floors_log_.size()};
  }
  void UndoTo(const Mark& mark);

  // Items that may start at the floor of a section.
  void AppendCandidates(int32_t section, std::vector<int32_t>* out) const;
  bool CanLeaveHole(int32_t section) const;

  bool placed(int32_t item) const { return keys_[Index(item)] == kNever; }
  // Of an item that is not placed.
  Bytes lowest(int32_t item) const { return keys_[Index(item)]; }
  // kNever if all its items are placed.
  Bytes floor(int32_t section) const { return sections_[Index(section)].floor; }
  // How many items may start at the floor, at most.
  int32_t width(int32_t section) const {
    return sections_[Index(section)].width;
  }
  // What may be lost in the section before it is over the limit.
  Bytes slack(int32_t section) const {
    const Section& at = sections_[Index(section)];
    return limit_ - at.floor - at.left;
  }
  // Whether some item not placed reaches over the left end of the section.
  bool crossed(int32_t section) const {
    return sections_[Index(section)].crossing > 0;
  }
  const std::vector<Bytes>& offsets() const { return offsets_; }
  // The section that made the last failure.
  int32_t failed_section() const { return failed_section_; }
  // The least height over the limit that a failure so far has proved needed.
  Bytes next_limit() const { return next_limit_; }

 private:
  struct Section {
    Bytes floor = 0;
    Bytes left = 0;  // Sum of the sizes not placed.
    int32_t width = 0;
    int32_t crossing = 0;  // Items not placed that also reach to the left.
  };

  SectionRange hull(int32_t item) const {
    const auto row = model_.ranges[item];
    return {row.front().begin, row.back().end};
  }

  static size_t Index(int32_t id) { return static_cast<size_t>(id); }

  Bytes NextFree(int32_t item, Bytes from) const;
  bool Over(Bytes height, int32_t section);
  void SetKey(int32_t item, Bytes key);
  void PutDown(int32_t item);
  void Touch(const SectionRange& range);
  void Touch(int32_t item);
  bool CheckTouched();
  bool CheckSection(int32_t section);
  bool PlaceLonely();
  Bytes AfterHole(int32_t section) const;
  bool IsTurn(int32_t item) const;

  const SearchModel& model_;
  const ExactRules rules_;
  const Bytes limit_;
  // By item.
  std::vector<Bytes> keys_;  // Lowest offset, kNever once placed.
  std::vector<Bytes> offsets_;
  std::vector<Bytes> debts_;     // See `LeaveHole`; 0: none.
  std::vector<int32_t> rivals_;  // Conflicts not placed.
  std::vector<int32_t> twin_before_;
  std::vector<int32_t> family_;  // Same sections; -1: alone in it.
  // By section.
  std::vector<Section> sections_;
  std::vector<Bytes> keys_here_, sizes_here_;  // Of one section.
  std::vector<int32_t> touched_;  // Differences: how many ranges cover it.
  int32_t touched_begin_ = 0, touched_end_ = 0;
  std::vector<int32_t> lonely_;

  struct KeyUndo {
    int32_t item;
    Bytes key;
  };
  struct FloorUndo {
    int32_t section;
    Bytes floor;
    int32_t width;
  };
  std::vector<KeyUndo> keys_log_;
  std::vector<int32_t> placed_log_;
  std::vector<KeyUndo> debts_log_;
  std::vector<FloorUndo> floors_log_;
  int32_t failed_section_ = -1;
  Bytes next_limit_ = kNever;
};

}  // namespace stowplan::solve
