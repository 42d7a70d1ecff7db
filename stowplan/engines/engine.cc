// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/engine.h"

#include <algorithm>

namespace stowplan::engines {

std::string_view NameOf(Owner owner) {
  switch (owner) {
    case Owner::kTensor:
      return "tensor";
    case Owner::kScratch:
      return "scratch";
    case Owner::kPersistent:
      return "persistent";
    case Owner::kDynamic:
      return "dynamic";
    case Owner::kBookkeeping:
      return "bookkeeping";
  }
  return "";
}

std::string_view NameOf(Region::Kind kind) {
  switch (kind) {
    case Region::Kind::kArena:
      return "arena";
    case Region::Kind::kPersistent:
      return "persistent";
    case Region::Kind::kTail:
      return "tail";
    case Region::Kind::kTemporary:
      return "temporary";
    case Region::Kind::kHeap:
      return "heap";
  }
  return "";
}

void IndexPieces(const graph::Model& model, Layout* layout) {
  layout->piece_of.clear();
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    layout->piece_of.emplace_back(subgraph.tensors.size());
  }
  for (Region& region : layout->regions) region.bytes = 0;
  for (size_t i = 0; i < layout->pieces.size(); ++i) {
    const Piece& piece = layout->pieces[i];
    if (piece.tensor.tensor.valid()) {
      layout->piece_of[piece.tensor.subgraph.index()]
                      [piece.tensor.tensor.index()] = i;
    }
    Region& region = layout->regions[piece.region];
    if (region.kind == Region::Kind::kHeap) {
      region.bytes += piece.bytes;
    } else if (piece.offset) {
      region.bytes = std::max(region.bytes, *piece.offset + piece.bytes);
    }
  }
}

Bytes BytesOf(const Layout& layout, Region::Kind kind) {
  Bytes sum = 0;
  for (const Region& region : layout.regions) {
    if (region.kind == kind) sum += region.bytes;
  }
  return sum;
}

}  // namespace stowplan::engines
