// SPDX-License-Identifier: Apache-2.0
//
// Collects the places that a foreign plan gives; not for other users.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::engines {

class ForeignLayout {
 public:
  // Errors: as schedule::MakeTimeline.
  static Result<ForeignLayout> Create(const graph::Model& model,
                                      const schedule::MemoryNeeds& needs,
                                      std::string engine);

  // "12" of the entry subgraph, or "1:12"; errors name `where`.
  Result<graph::TensorRef> ParseTensor(std::string_view text,
                                       const std::string& where) const;
  // Whether the file has such a tensor.
  bool Has(graph::TensorRef tensor) const;

  // `subgraph` is invalid for an arena that all subgraphs share.
  // Errors: kBadInput for a negative offset or a size that does not fit.
  Status Place(graph::TensorRef tensor, Region::Kind kind,
               graph::SubgraphId subgraph, Bytes offset, Bytes bytes,
               const std::string& where);
  Status PlaceScratch(graph::OperatorRef op, graph::SubgraphId subgraph,
                      Bytes offset, Bytes bytes, const std::string& where);
  bool IsPlaced(graph::TensorRef tensor) const {
    return placed_.count(tensor) > 0;
  }

  // The tensors that need bytes in the arena and have no place, ascending.
  std::vector<graph::TensorRef> Unplaced() const;

  // The layout, with a note on what has no place. Errors: kBadInput if
  // nothing of what needs bytes in the arena has one.
  Result<Layout> Finish() &&;

 private:
  ForeignLayout(const graph::Model& model, const schedule::MemoryNeeds& needs)
      : model_(model), needs_(needs) {}

  // Those that need bytes in the arena, in ascending order.
  std::vector<graph::TensorRef> Needy() const;

  size_t RegionOf(Region::Kind kind, graph::SubgraphId subgraph);
  Owner OwnerOf(graph::TensorRef tensor) const;

  const graph::Model& model_;
  const schedule::MemoryNeeds& needs_;
  Layout layout_;
  std::map<std::pair<Region::Kind, graph::SubgraphId>, size_t> regions_;
  std::map<graph::TensorRef, Piece> placed_;
  std::vector<Piece> scratch_;
};

}  // namespace stowplan::engines
