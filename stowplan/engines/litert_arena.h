// SPDX-License-Identifier: Apache-2.0
//
// LiteRT's arena: best fit over the pieces placed so far.
#pragma once

#include <cstdint>
#include <vector>

#include "stowplan/base/bytes.h"

namespace stowplan::engines {

// Offsets are multiples of 64; sizes are not rounded, so the extent is not
// either. Nodes are positions in a subgraph's order, both ends inclusive, as
// the engine counts them.
class LiteRtArena {
 public:
  static constexpr Bytes kAlignment = 64;
  static constexpr int32_t kForever = INT32_MAX;

  // Places a piece in the smallest gap between those that are alive at a node
  // of [first, last], the lowest of equal ones, else behind the last of them.
  // One quirk is kept: what is compared is the gap from the aligned start, what
  // is remembered is the gap from the unaligned one. O(pieces).
  // REQUIRES: size > 0.
  Bytes Place(Bytes size, int32_t first, int32_t last);

  // Forgets the pieces that are dead before `node`; their bytes are free for
  // whatever is placed from now on.
  void ForgetDeadBefore(int32_t node);

  // The highest end of a piece, ever.
  Bytes extent() const { return extent_; }

 private:
  struct Piece {
    Bytes offset;
    Bytes size;
    int32_t first;
    int32_t last;
  };
  std::vector<Piece> pieces_;  // In ascending order of offsets.
  Bytes extent_ = 0;
};

}  // namespace stowplan::engines
