// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of the arena are taken in which sections, while a planner
// places one buffer after the other in any order.
//
// A segment tree over the sections. Each node holds two byte sets:
//
//   spanning   of pieces that cover the node's sections and are kept here
//   touching   of all pieces kept here or at a node below
//
//            [0 1 2 3]            a piece over sections [1, 4) is kept at [1]
//          [0 1]   [2 3]          and [2 3]; `touching` of [0 1] and of the
//         [0] [1] [2] [3]         root learn its bytes too
//
// The bytes that are taken somewhere in a range of sections are those of
// `touching` at the range's O(log) canonical nodes and of `spanning` at the
// nodes above them. So no list of conflicts is ever made, and since stacked
// buffers melt into few ranges, a node is far smaller than the set of buffers
// that went through it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/solve/byte_set.h"
#include "stowplan/solve/sections.h"

namespace stowplan::solve {

class ArenaMap {
 public:
  // REQUIRES: sections >= 0.
  explicit ArenaMap(int32_t sections);

  // Takes the bytes of `pieces` of a buffer at `offset`.
  // O(pieces * log(sections) * ranges at a node).
  void Take(std::span<const Piece> pieces, Bytes offset);

  // The least multiple of `alignment` at which all pieces find their bytes
  // free; 0 for no pieces.
  Bytes LowestFit(std::span<const Piece> pieces, Bytes alignment);

  // The offset in the smallest hole that holds the piece, the lowest of
  // equals; if there is none, on top of all that is taken in its sections.
  // What alignment leaves free at the bottom of a hole does not count to it.
  Bytes BestFit(const Piece& piece, Bytes alignment);

 private:
  struct Node {
    ByteSet spanning;
    ByteSet touching;
  };
  // How far a scan has come in a byte set: at its first range that ends
  // above the scan, or at ByteSet::kEnd.
  using Cursor = const ByteRange*;

  // Calls visit(node, is_canonical) for the canonical nodes of [first, last)
  // and all nodes above them.
  template <class Visit>
  void VisitNodes(int32_t first, int32_t last, const Visit& visit);

  // Points cursors_ at all that is taken in [first, last).
  void Collect(int32_t first, int32_t last);
  // The least multiple of `alignment` from `from` on at which the piece meets
  // nothing of what the cursors point at.
  Bytes Lift(const Piece& piece, Bytes from, Bytes alignment);

  uint32_t leaves_ = 1;  // A power of two.
  std::vector<Node> nodes_;
  std::vector<Cursor> cursors_;
  ByteSet small_sets_;  // What Collect found in sets of a few ranges.
};

}  // namespace stowplan::solve
