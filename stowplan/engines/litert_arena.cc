// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert_arena.h"

#include <algorithm>
#include <limits>

#include "stowplan/base/checked_math.h"

namespace stowplan::engines {

Bytes LiteRtArena::Place(Bytes size, int32_t first, int32_t last) {
  constexpr Bytes kNoGap = std::numeric_limits<Bytes>::max();
  Bytes best = 0;
  Bytes best_gap = kNoGap;
  Bytes end = 0;  // Of the pieces in the way that lie below.
  for (const Piece& piece : pieces_) {
    if (piece.last < first || piece.first > last) continue;
    const Bytes start = AlignUp(end, kAlignment);
    if (start + size <= piece.offset && piece.offset - start < best_gap) {
      best = start;
      best_gap = piece.offset - end;
    }
    end = std::max(end, piece.offset + piece.size);
  }
  if (best_gap == kNoGap) best = AlignUp(end, kAlignment);
  const auto behind = std::upper_bound(
      pieces_.begin(), pieces_.end(), best,
      [](Bytes offset, const Piece& piece) { return offset < piece.offset; });
  pieces_.insert(behind, {best, size, first, last});
  extent_ = std::max(extent_, best + size);
  return best;
}

void LiteRtArena::ForgetDeadBefore(int32_t node) {
  std::erase_if(pieces_,
                [node](const Piece& piece) { return piece.last < node; });
}

}  // namespace stowplan::engines
