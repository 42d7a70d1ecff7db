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
#include "stowplan/solve/search_section.h"

namespace stowplan::solve {

// Stands for "at no height".
inline constexpr Bytes kNoHeight = Bytes{1} << 62;

// Height is int32_t where `SearchModel::small`, else int64_t.
template <class Height>
class SearchState {
 public:
  static constexpr Height kNever = SectionTable<Height>::kNever;

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
  // Whether the section has no height to lose, so that `LeaveHole` would be
  // false. What it would take is noted for `next_limit`.
  bool IsTight(int32_t section);

  Mark mark() const {
    return {keys_log_.size(), placed_log_.size(), debts_log_.size(),
            floors_log_.size()};
  }
  void UndoTo(const Mark& mark);

  // Items that may start at the floor of a section.
  void AppendCandidates(int32_t section, std::vector<int32_t>* out) const;

  // kNever if all its items are placed.
  Height floor(int32_t section) const { return floors_[Index(section)]; }
  // How many items may start at the floor, at most.
  int32_t width(int32_t section) const { return widths_[Index(section)]; }
  // What may be lost in the section before it is over the limit.
  Height slack(int32_t section) const {
    return limit_ - floors_[Index(section)] - left_[Index(section)];
  }
  // Whether some item not placed reaches over the left end of the section.
  bool crossed(int32_t section) const { return crossing_[Index(section)] > 0; }
  // By item, in units.
  std::vector<Bytes> Offsets() const {
    return {offsets_.begin(), offsets_.end()};
  }
  // The section that made the last failure; -1 for none.
  int32_t failed_section() const { return failed_section_; }
  // The least height over the limit that a failure so far has proved needed;
  // kNoHeight if every failure was one at any limit.
  Bytes next_limit() const {
    return next_limit_ == kNever ? kNoHeight : Bytes{next_limit_};
  }

 private:
  static size_t Index(int32_t id) { return static_cast<size_t>(id); }

  void FindTwins();
  bool PinsCollide() const;
  bool placed(int32_t item) const { return keys_[Index(item)] == kNever; }
  Height NextFree(int32_t item, Height from) const;
  bool Over(Height height, int32_t section);
  void SetKey(int32_t item, Height key);
  void PutDown(int32_t item);
  bool PlaceLonely();
  bool IsTurn(int32_t item) const;
  Height AfterHole(int32_t section) const;

  void Touch(const SectionRange& range);
  void Touch(int32_t item);
  bool CheckTouched();
  bool CheckSection(int32_t section);

  struct Family {
    Height top = -1;  // None yet.
    Height size = 0;
  };
  struct KeyUndo {
    int32_t item;
    Height key;
  };
  struct PlacedUndo {
    int32_t item;
    Family family;
  };
  struct FloorUndo {
    int32_t section;
    int32_t width;
    Height floor;
  };

  const SearchModel& model_;
  const ExactRules rules_;
  const Height limit_;
  // By item.
  std::vector<Height> sizes_;
  std::vector<Height> keys_;  // Lowest offset, kNever once placed.
  std::vector<Height> offsets_;
  std::vector<Height> debts_;    // See `LeaveHole`; 0: none.
  std::vector<int32_t> rivals_;  // Conflicts not placed.
  std::vector<int32_t> twin_before_;
  std::vector<int32_t> family_;   // Those of the same sections; -1: none.
  std::vector<Family> families_;  // The last of each that was placed.
  // By section.
  SectionTable<Height> table_;
  std::vector<Height> floors_;
  std::vector<Height> left_;  // Sum of the sizes not placed.
  std::vector<int32_t> widths_;
  std::vector<int32_t> crossing_;
  std::vector<int32_t> touched_;  // Differences: how many ranges cover it.
  int32_t touched_begin_ = 0, touched_end_ = 0;
  std::vector<int32_t> lonely_;

  std::vector<KeyUndo> keys_log_;
  std::vector<PlacedUndo> placed_log_;
  std::vector<KeyUndo> debts_log_;
  std::vector<FloorUndo> floors_log_;
  int32_t failed_section_ = -1;
  Height next_limit_ = kNever;
};

extern template class SearchState<int32_t>;
extern template class SearchState<int64_t>;

}  // namespace stowplan::solve
