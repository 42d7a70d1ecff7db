// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/arena_map.h"

#include <algorithm>
#include <bit>

#include "stowplan/base/checked_math.h"

namespace stowplan::solve {
ArenaMap::ArenaMap(int32_t sections)
    : leaves_(std::bit_ceil(static_cast<uint32_t>(std::max(sections, 1)))),
      nodes_(size_t{2} * leaves_) {}

template <class Visit>
void ArenaMap::VisitNodes(int32_t first, int32_t last, const Visit& visit) {
  const uint32_t low = leaves_ + static_cast<uint32_t>(first);
  const uint32_t high = leaves_ + static_cast<uint32_t>(last) - 1;
  // Upwards from both ends, level by level. Between the two paths lie the
  // canonical nodes; a node on a path is one itself as long as the range
  // covers it, and otherwise lies above one.
  uint32_t left = low;
  uint32_t right = high + 1;
  for (; left < right; left >>= 1, right >>= 1) {
    if (left & 1) visit(left++, true);
    if (right & 1) visit(--right, true);
  }
  auto covered = [&](uint32_t node, int level) {
    const uint32_t begin = node << level;
    return low <= begin && begin + (uint32_t{1} << level) - 1 <= high;
  };
  uint32_t a = low >> 1;
  uint32_t b = high >> 1;
  for (int level = 1; a > 0; ++level, a >>= 1, b >>= 1) {
    if (!covered(a, level)) visit(a, false);
    if (b != a && !covered(b, level)) visit(b, false);
  }
}

void ArenaMap::Take(std::span<const Piece> pieces, Bytes offset) {
  for (const Piece& piece : pieces) {
    const Bytes begin = offset + piece.begin;
    const Bytes end = offset + piece.end;
    VisitNodes(piece.first, piece.last, [&](uint32_t node, bool canonical) {
      if (canonical) nodes_[node].spanning.Add(begin, end);
      nodes_[node].touching.Add(begin, end);
    });
  }
}

// Sets of a few ranges are poured together: most are that small, and a scan
// pays for every set again and again.
void ArenaMap::Collect(int32_t first, int32_t last) {
  constexpr size_t kSmall = 6;
  cursors_.clear();
  small_sets_.Clear();
  VisitNodes(first, last, [&](uint32_t node, bool canonical) {
    const ByteSet& set =
        canonical ? nodes_[node].touching : nodes_[node].spanning;
    if (set.size() > kSmall) {
      cursors_.push_back(set.ranges().data());
      return;
    }
    for (const ByteRange& range : set.ranges()) {
      small_sets_.Add(range.begin, range.end);
    }
  });
  if (small_sets_.size() > 0) cursors_.push_back(small_sets_.ranges().data());
}

// Goes round the byte sets, each lifting the candidate over what it has
// taken, until a whole round finds nothing in the way.
Bytes ArenaMap::Lift(const Piece& piece, Bytes from, Bytes alignment) {
  Bytes offset = AlignUp(from, alignment);
  size_t quiet = 0;
  for (size_t i = 0; quiet < cursors_.size();
       i = i + 1 == cursors_.size() ? 0 : i + 1) {
    Cursor at = cursors_[i];
    ++quiet;
    while (at->end <= offset + piece.begin) ++at;
    while (at->begin < offset + piece.end) {
      offset = AlignUp(at->end - piece.begin, alignment);
      ++at;
      quiet = 1;
    }
    cursors_[i] = at;
  }
  return offset;
}

Bytes ArenaMap::LowestFit(std::span<const Piece> pieces, Bytes alignment) {
  Bytes offset = 0;
  size_t quiet = 0;
  for (size_t i = 0; quiet < pieces.size();
       i = i + 1 == pieces.size() ? 0 : i + 1) {
    Collect(pieces[i].first, pieces[i].last);
    const Bytes lifted = Lift(pieces[i], offset, alignment);
    quiet = lifted == offset ? quiet + 1 : 1;
    offset = lifted;
  }
  return offset;
}

// From one hole that is large enough to the next; those that are too small
// are passed over on the way, as for the lowest fit.
Bytes ArenaMap::BestFit(const Piece& piece, Bytes alignment) {
  Collect(piece.first, piece.last);
  const Bytes size = piece.end - piece.begin;
  Bytes best = ByteSet::kEnd.begin;
  Bytes best_offset = 0;
  Bytes offset = Lift(piece, 0, alignment);
  while (true) {
    // The hole ends where the first of the sets begins again.
    Bytes end = ByteSet::kEnd.begin;
    for (Cursor at : cursors_) end = std::min(end, at->begin);
    if (end == ByteSet::kEnd.begin) {
      return best < ByteSet::kEnd.begin ? best_offset : offset;
    }
    if (end - offset < best) {
      best = end - offset;
      best_offset = offset;
      if (best == size) return offset;  // None can be smaller.
    }
    offset = Lift(piece, end, alignment);
  }
}

}  // namespace stowplan::solve
