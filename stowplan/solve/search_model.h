// SPDX-License-Identifier: Apache-2.0
//
// A problem as the skyline search sees it: steps merged into sections, bytes
// into units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"

namespace stowplan::solve {

// Sections [begin, end).
struct SectionRange {
  int32_t begin = 0;
  int32_t end = 0;

  friend bool operator==(const SectionRange&, const SectionRange&) = default;
};

// Rows of ids in one array.
template <class T>
struct Rows {
  std::vector<T> values;
  std::vector<int64_t> starts = {0};  // One more than rows.

  std::span<const T> operator[](int32_t row) const {
    const size_t r = static_cast<size_t>(row);
    return {values.data() + starts[r],
            static_cast<size_t>(starts[r + 1] - starts[r])};
  }
  void EndRow() { starts.push_back(static_cast<int64_t>(values.size())); }
};

// A section is a maximal set of buffers in use at one step: a step whose
// buffers are all in use at another proves nothing that the other does not.
//
//   steps     0  1  2  3  4        sections: {a, b} (step 2), {b, c} (step 4)
//   a         +-----+
//   b            +--------+
//   c                  +--+
//
// Sizes, alignments and pinned offsets are divided by the largest unit that
// divides them all. A window counts as if all bytes were in use: a plan of
// the model is a plan of the problem, a proof is one only if `exact`.
struct SearchModel {
  // Nothing if more than `max_pairs` pairs of buffers conflict.
  // O(n log n + pairs + the sum of the sections of all buffers).
  static std::optional<SearchModel> Create(const plan::Problem& problem,
                                           int64_t max_pairs);

  size_t size() const { return sizes.size(); }
  int32_t items() const { return static_cast<int32_t>(sizes.size()); }

  // The sections from the first to the last of an item.
  SectionRange Hull(int32_t item) const {
    const std::span<const SectionRange> row = ranges[item];
    return {row.front().begin, row.back().end};
  }

  // `offsets` by item, in units.
  plan::Plan ToPlan(const plan::Problem& problem,
                    const std::vector<Bytes>& offsets) const;

  bool exact = true;
  bool gaps = false;  // Some buffer has more than one range of sections.
  bool small = true;  // Every sensible offset, in units, is below 2^29.
  Bytes unit = 1;
  int32_t sections = 0;
  // Items are the buffers that conflict with something or are pinned; the
  // others lie at 0 and `alone` is the largest of their sizes, in units.
  Bytes alone = 0;
  std::vector<plan::BufferId> buffers;
  std::vector<Bytes> sizes;
  std::vector<Bytes> alignments;
  std::vector<Bytes> pinned;   // -1: not.
  std::vector<int64_t> steps;  // How long each is in use.
  Rows<SectionRange> ranges;
  Rows<int32_t> members;    // Of each section, ascending.
  Rows<int32_t> conflicts;  // Of each item.
  Rows<int32_t> obstacles;  // Of each item: pinned conflicts, by offset.
};

}  // namespace stowplan::solve
