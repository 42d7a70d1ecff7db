// SPDX-License-Identifier: Apache-2.0
//
// Where LiteRT's planner puts the tensors of one subgraph.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/engines/litert_prepare.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

// Node numbers are positions in the subgraph's order, both ends inclusive.
struct LiteRtPlace {
  std::optional<Bytes> offset;    // In the arena or the persistent arena.
  int32_t first = -1;             // -1: no node writes it.
  int32_t last = INT32_MAX;       // Never given back.
  std::optional<int32_t> shares;  // The tensor whose bytes it is given.
  size_t round = 0;               // Of preparation, in which it was placed.
};

struct LiteRtPlaces {
  std::vector<LiteRtPlace> of;     // By LiteRT's number of the tensor.
  std::vector<Bytes> arena_bytes;  // By round: the arena's extent after it.
  Bytes persistent_bytes = 0;
};

// The rules:
// - Lives are counted by references: an input, output or variable of the
//   subgraph has one that is never given back, so such tensors, and outputs
//   that nobody reads, live to the end.
// - RESHAPE, EXPAND_DIMS, SQUEEZE and BITCAST share their input's bytes; ADD,
//   SUB, MUL, DIV, SOFTMAX and DYNAMIC_UPDATE_SLICE overwrite an input that is
//   as large, over 4 bytes, and has one textual use, if the first tensor of
//   its chain has not more than one either. That looks at two tensors of the
//   chain and not at those between them, which is unsound.
// - Tensors that live from node 0 on for ever are placed first, by number;
//   the others by falling size, then by rising first node.
// - Lives and sharing are decided once. After a resize (`before` are the
//   places with the shapes before) all is placed anew with the old ones; a
//   sharing whose sizes differ now is dropped for good.
// O(operands + tensors^2).
LiteRtPlaces PlaceLiteRt(const graph::Subgraph& subgraph,
                         const PreparedSubgraph& prepared,
                         const LiteRtPlaces* before = nullptr);

}  // namespace stowplan::engines
