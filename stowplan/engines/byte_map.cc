// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/byte_map.h"

#include <algorithm>
#include <array>
#include <set>

namespace stowplan::engines {

size_t ByteMap::FirstEndingAfter(Bytes offset) const {
  const auto found = std::upper_bound(
      pieces_.begin(), pieces_.end(), offset,
      [](Bytes o, const HeldBytes& piece) { return o < piece.end; });
  return static_cast<size_t>(found - pieces_.begin());
}

void ByteMap::Write(const HeldBytes& held) {
  if (held.begin >= held.end) return;
  const size_t first = FirstEndingAfter(held.begin);
  size_t last = first;
  while (last < pieces_.size() && pieces_[last].begin < held.end) ++last;
  std::array<HeldBytes, 3> put;
  size_t count = 0;
  if (first < last && pieces_[first].begin < held.begin) {
    put[count] = pieces_[first];
    put[count++].end = held.begin;
  }
  put[count++] = held;
  if (first < last && pieces_[last - 1].end > held.end) {
    put[count] = pieces_[last - 1];
    put[count++].begin = held.end;
  }
  const auto at = pieces_.begin() + static_cast<ptrdiff_t>(first);
  const size_t reused = std::min(count, last - first);
  std::copy_n(put.begin(), reused, at);
  if (reused < count) {
    pieces_.insert(at + static_cast<ptrdiff_t>(reused),
                   put.begin() + static_cast<ptrdiff_t>(reused),
                   put.begin() + static_cast<ptrdiff_t>(count));
  } else {
    pieces_.erase(at + static_cast<ptrdiff_t>(reused),
                  pieces_.begin() + static_cast<ptrdiff_t>(last));
  }
}

std::optional<HeldBytes> ByteMap::FindLoss(ByteRange bytes,
                                           ValueId value) const {
  Bytes next = bytes.begin;
  for (size_t i = FirstEndingAfter(bytes.begin);
       i < pieces_.size() && next < bytes.end; ++i) {
    const HeldBytes& piece = pieces_[i];
    if (piece.begin > next) break;  // Never written.
    if (piece.value != value || piece.origin != bytes.begin) {
      return HeldBytes{next, std::min(piece.end, bytes.end), piece.value,
                       piece.origin, piece.by};
    }
    next = piece.end;
  }
  if (next >= bytes.end) return std::nullopt;
  const size_t behind = FirstEndingAfter(next);
  const Bytes end = behind < pieces_.size()
                        ? std::min(bytes.end, pieces_[behind].begin)
                        : bytes.end;
  return HeldBytes{next, end, kNothing, 0, kNothing};
}

ByteMap Merge(const ByteMap& a, const ByteMap& b) {
  std::set<Bytes> cuts;
  for (const ByteMap* map : {&a, &b}) {
    for (const HeldBytes& piece : map->pieces()) {
      cuts.insert(piece.begin);
      cuts.insert(piece.end);
    }
  }
  auto at = [](const ByteMap& map, Bytes offset) {
    const auto found = std::upper_bound(
        map.pieces().begin(), map.pieces().end(), offset,
        [](Bytes o, const HeldBytes& piece) { return o < piece.end; });
    return found == map.pieces().end() || found->begin > offset ? HeldBytes{}
                                                                : *found;
  };
  ByteMap merged;
  for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
    const auto next = std::next(cut);
    if (next == cuts.end()) break;
    const HeldBytes one = at(a, *cut);
    const HeldBytes other = at(b, *cut);
    HeldBytes last = one.by > other.by ? one : other;
    if (last.by == kNothing) continue;
    last.begin = *cut;
    last.end = *next;
    merged.Write(last);
  }
  return merged;
}

}  // namespace stowplan::engines
