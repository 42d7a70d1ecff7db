// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/arena_map.h"

#include <algorithm>
#include <bit>
#include <limits>

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

void ArenaMap::Collect(int32_t first, int32_t last) {
  cursors_.clear();
  VisitNodes(first, last, [&](uint32_t node, bool canonical) {
    const ByteSet& set =
        canonical ? nodes_[node].touching : nodes_[node].spanning;
    if (set.empty()) return;
    const std::span<const ByteRange> ranges = set.ranges();
    cursors_.push_back({ranges.data(), ranges.data() + ranges.size()});
  });
}

// Moves on to the first range that ends above `bytes`, in ever larger steps
// and then by halves: mostly it is the next one, but the first time round it
// may be hundreds away.
void ArenaMap::SkipBelow(Bytes bytes, Cursor* cursor) {
  const ByteRange* at = cursor->at;
  const ByteRange* const end = cursor->end;
  for (int near = 0; near < 4; ++near, ++at) {
    if (at == end || at->end > bytes) {
      cursor->at = at;
      return;
    }
  }
  std::ptrdiff_t step = 4;
  while (end - at > step && at[step].end <= bytes) {
    at += step;
    step *= 2;
  }
  cursor->at = std::partition_point(
      at, at + std::min(step, end - at),
      [&](const ByteRange& range) { return range.end <= bytes; });
}

// Goes round the byte sets, each lifting the candidate over what it has
// taken, until a whole round finds nothing in the way.
Bytes ArenaMap::LowestFit(const Piece& piece, Bytes from, Bytes alignment) {
  Collect(piece.first, piece.last);
  Bytes offset = AlignUp(from, alignment);
  size_t quiet = 0;
  for (size_t i = 0; quiet < cursors_.size();
       i = i + 1 == cursors_.size() ? 0 : i + 1) {
    Cursor& cursor = cursors_[i];
    ++quiet;
    SkipBelow(offset + piece.begin, &cursor);
    while (cursor.at != cursor.end && cursor.at->begin < offset + piece.end) {
      offset = AlignUp(cursor.at->end - piece.begin, alignment);
      ++cursor.at;
      quiet = 1;
    }
  }
  return offset;
}

Bytes ArenaMap::LowestFit(std::span<const Piece> pieces, Bytes alignment) {
  Bytes offset = 0;
  size_t quiet = 0;
  for (size_t i = 0; quiet < pieces.size();
       i = i + 1 == pieces.size() ? 0 : i + 1) {
    const Bytes lifted = LowestFit(pieces[i], offset, alignment);
    quiet = lifted == offset ? quiet + 1 : 1;
    offset = lifted;
  }
  return offset;
}

Bytes ArenaMap::BestFit(const Piece& piece, Bytes alignment) {
  Collect(piece.first, piece.last);
  taken_.clear();
  for (const Cursor& cursor : cursors_) {
    taken_.insert(taken_.end(), cursor.at, cursor.end);
  }
  std::sort(
      taken_.begin(), taken_.end(),
      [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  const Bytes size = piece.end - piece.begin;
  Bytes best = std::numeric_limits<Bytes>::max();
  Bytes best_offset = 0;
  Bytes top = 0;
  for (const ByteRange& range : taken_) {
    const Bytes offset = AlignUp(top, alignment);
    const Bytes hole = range.begin - offset;
    if (hole >= size && hole < best) {
      best = hole;
      best_offset = offset;
    }
    top = std::max(top, range.end);
  }
  return best < std::numeric_limits<Bytes>::max() ? best_offset
                                                  : AlignUp(top, alignment);
}

}  // namespace stowplan::solve
