// SPDX-License-Identifier: Apache-2.0
//
// Time cut into sections, and buffers cut into rectangles over them.
//
// All that matters about steps is who conflicts with whom. Sections keep just
// that: a new one begins only when a buffer is born after one has died, since
// until then the live set only grows and its last state implies the others
// (Moffitt, MiniMalloc, ASPLOS 2023, calls them sections as well).
//
//   steps      0  1  2  3  4  5  6
//   b0         [-----------)           sections [0, 2)
//   b1            [-----)              sections [0, 1)
//   b2                  [--------)     sections [1, 2)
//   section    |-- 0 ---|--- 1 --|     six steps, but two sections
//
// A buffer with gaps is several rectangles ("pieces") that move together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/problem.h"

namespace stowplan::solve {

// A rectangle of a buffer: in sections [first, last) its bytes [begin, end),
// counted from its own offset, are in use.
struct Piece {
  int32_t first = 0;
  int32_t last = 0;
  Bytes begin = 0;
  Bytes end = 0;
};

// Index of a buffer, as BufferId::index(), in the width that fits.
using Index = uint32_t;

class Sections {
 public:
  // O(n log n) for n buffers and gaps; linear for steps below 2^44.
  explicit Sections(const plan::Problem& problem);

  int32_t count() const { return count_; }

  // The pieces of a buffer in order of time; none if it never uses a byte.
  std::span<const Piece> PiecesOf(Index buffer) const {
    return {pieces_.data() + start_[buffer],
            pieces_.data() + start_[buffer + 1]};
  }
  std::span<const Piece> pieces() const { return pieces_; }

  // From the first to the last section in which it uses a byte; {0, 0} if
  // none.
  Piece SpanOf(Index buffer) const;

  // The sum of the sizes in use, by section. O(pieces + sections).
  std::vector<Bytes> Load() const;

 private:
  int32_t count_ = 0;
  std::vector<Piece> pieces_;
  std::vector<uint32_t> start_;  // By buffer, and one more.
};

}  // namespace stowplan::solve
