// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/stowplan.h"

#include <utility>

namespace stowplan::engines {
namespace {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using schedule::Kind;
using schedule::MemoryNeeds;

constexpr size_t kArena = 0;
constexpr size_t kPersistent = 1;
constexpr size_t kHeap = 2;

// Nothing for tensors without memory of their own.
std::optional<Piece> PieceOf(const graph::Model& model,
                             const MemoryNeeds& needs, const plan::Plan& plan,
                             TensorRef ref) {
  const schedule::TensorKind& kind = needs.kinds.at(ref);
  const size_t s = ref.subgraph.index();
  const size_t t = ref.tensor.index();
  const schedule::TensorUse& use = needs.uses[s][t];
  Piece piece;
  piece.tensor = ref;
  piece.bytes = kind.bytes;
  piece.live = use.live;
  if (use.producer.valid()) piece.op = {ref.subgraph, use.producer};
  const TensorId alias = needs.aliases[s].alias_of[t];
  if (alias.valid()) piece.alias_of = {ref.subgraph, alias};
  switch (kind.kind) {
    case Kind::kArena:
      piece.region = kArena;
      if (needs.buffer_of[s][t].valid()) {
        piece.offset = plan.offset(needs.buffer_of[s][t]);
      }
      return piece;
    case Kind::kPersistent:
      piece.owner = Owner::kPersistent;
      piece.region = kPersistent;
      piece.offset = needs.persistent_offset[s][t];
      piece.live = {0, needs.timeline.end()};
      if (model.subgraph(ref.subgraph).tensor(ref.tensor).dtype ==
          DType::kResource) {
        piece.label = kVariableLabel;
      }
      return piece;
    case Kind::kDynamic:
      piece.owner = Owner::kDynamic;
      piece.region = kHeap;
      return piece;
    default:
      return std::nullopt;
  }
}

}  // namespace

Layout PlanStowplan(const graph::Model& model, const MemoryNeeds& needs,
                    const plan::Plan& plan) {
  Layout layout;
  layout.engine = "stowplan";
  layout.alignment = needs.rules.alignment;
  layout.timeline = needs.timeline;
  layout.regions = {{Region::Kind::kArena, SubgraphId(), 0},
                    {Region::Kind::kPersistent, SubgraphId(), 0},
                    {Region::Kind::kHeap, SubgraphId(), 0}};
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    for (size_t t = 0; t < model.subgraphs[s].tensors.size(); ++t) {
      const TensorRef ref = {SubgraphId::FromIndex(s), TensorId::FromIndex(t)};
      if (auto piece = PieceOf(model, needs, plan, ref)) {
        layout.pieces.push_back(*std::move(piece));
      }
    }
  }
  for (size_t b = 0; b < needs.contents.size(); ++b) {
    const schedule::BufferContent& content = needs.contents[b];
    if (!content.tensors.empty()) continue;
    Piece piece;
    piece.owner = Owner::kScratch;
    piece.op = content.scratch_of;
    piece.label = "scratch";
    piece.bytes = content.bytes;
    piece.offset = plan.offsets[b];
    piece.live = needs.problem.buffers()[b].live;
    layout.pieces.push_back(std::move(piece));
  }
  IndexPieces(model, &layout);
  layout.phases = {{"run", layout.regions[kArena].bytes +
                               layout.regions[kPersistent].bytes}};
  return layout;
}

}  // namespace stowplan::engines
