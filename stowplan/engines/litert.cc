// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/engines/litert_arena.h"
#include "stowplan/engines/litert_place.h"
#include "stowplan/engines/litert_prepare.h"

namespace stowplan::engines {
namespace {

using graph::OperatorId;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using plan::LiveRange;
using plan::Step;

// Offsets are sums of sizes and paddings; below this none can overflow.
Status CheckSizes(const graph::Model& model, const Prepared& prepared) {
  Bytes sum = 0;
  for (const auto& [id, subgraph] : prepared.subgraphs) {
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const auto padded =
          CheckedAdd(subgraph.tensors[t].bytes, 2 * LiteRtArena::kAlignment);
      const auto next = padded ? CheckedAdd(sum, *padded) : padded;
      if (!next || *next >= Bytes{1} << 61) {
        const graph::Subgraph& source = model.subgraph(id);
        return BadInput(t < source.tensors.size()
                            ? graph::PlaceOf(source, TensorId::FromIndex(t))
                            : "a temporary",
                        "the sum of sizes is over 2^61 bytes",
                        "check the shapes of the model");
      }
      sum = *next;
    }
  }
  return {};
}

Status CheckSameGraph(const graph::Model& first, const graph::Model& other,
                      SubgraphId entry) {
  const bool there = entry.valid() && entry.index() < first.subgraphs.size() &&
                     first.subgraphs.size() == other.subgraphs.size();
  if (!there ||
      first.subgraph(entry).tensors.size() !=
          other.subgraph(entry).tensors.size() ||
      first.subgraph(entry).operators.size() !=
          other.subgraph(entry).operators.size()) {
    return BadInput("shapes", "the models are not of one graph",
                    "infer the shapes of copies of one model");
  }
  return {};
}

class LayoutBuilder {
 public:
  LayoutBuilder(const graph::Model& model, const Prepared& prepared,
                Layout* layout)
      : model_(model), prepared_(prepared), layout_(*layout) {}

  void Run() {
    layout_.phases = {{"allocate", 0}, {"run", 0}};
    for (SubgraphId id : ReachedSubgraphs(layout_.timeline)) {
      const auto found = prepared_.subgraphs.find(id);
      if (found != prepared_.subgraphs.end()) Place(id, found->second);
    }
    heap_ = layout_.regions.size();
    layout_.regions.push_back({Region::Kind::kHeap, SubgraphId(), 0});
    for (auto& [id, placed] : placed_) AddTensors(id, placed);
    FollowCallers();
    for (auto& [id, placed] : placed_) AddTemporaries(id, placed);
    IndexPieces(model_, &layout_);
  }

 private:
  struct Placed {
    const PreparedSubgraph* prepared;
    LiteRtPlaces places;
    size_t arena;  // Positions in the layout's regions.
    size_t persistent;
  };

  void Place(SubgraphId id, const PreparedSubgraph& prepared) {
    Placed placed = {&prepared, PlaceLiteRt(model_.subgraph(id), prepared),
                     layout_.regions.size(), layout_.regions.size() + 1};
    layout_.regions.push_back({Region::Kind::kArena, id, 0});
    layout_.regions.push_back({Region::Kind::kPersistent, id, 0});
    const Bytes persistent = placed.places.persistent_bytes;
    layout_.phases[0].bytes += placed.places.arena_bytes.front() + persistent;
    layout_.phases[1].bytes += placed.places.arena_bytes.back() + persistent;
    placed_.emplace(id, std::move(placed));
  }

  // The steps of nodes [first, last] over all visits of the subgraph.
  LiveRange StepsOf(SubgraphId id, int32_t first, int32_t last) const {
    LiveRange hull;
    for (const schedule::Visit& visit : layout_.timeline.visits) {
      if (visit.subgraph != id) continue;
      LiveRange live = visit.steps;
      const auto count = static_cast<int32_t>(visit.step_of.size());
      if (first > 0 && first < count) {
        live.begin = visit.step_of[static_cast<size_t>(first)];
      }
      if (last < count) {
        const Step step = visit.step_of[static_cast<size_t>(last)];
        live.end = layout_.timeline.steps[static_cast<size_t>(step)].span.end;
      }
      hull = hull.empty() ? live
                          : LiveRange{std::min(hull.begin, live.begin),
                                      std::max(hull.end, live.end)};
    }
    return hull;
  }

  Piece PieceOf(SubgraphId id, const Placed& placed, size_t number) const {
    const PreparedTensor& tensor = placed.prepared->tensors[number];
    const LiteRtPlace& place = placed.places.of[number];
    Piece piece;
    piece.bytes = tensor.bytes;
    piece.offset = place.offset;
    piece.region = placed.arena;
    switch (tensor.holding) {
      case Holding::kPersistent:
        piece.owner = Owner::kPersistent;
        piece.region = placed.persistent;
        break;
      case Holding::kDynamic:
      case Holding::kFolded:
        piece.owner = Owner::kDynamic;
        piece.region = heap_;
        break;
      default:
        break;
    }
    if (place.first >= 0) {
      const int32_t last = tensor.holding == Holding::kPersistent
                               ? LiteRtArena::kForever
                               : place.last;
      piece.live = StepsOf(id, place.first, last);
    }
    if (place.round > 0) piece.phases.begin = 1;
    return piece;
  }

  void AddTensors(SubgraphId id, const Placed& placed) {
    const graph::Subgraph& subgraph = model_.subgraph(id);
    std::vector<OperatorId> producers(subgraph.tensors.size());
    for (size_t i = 0; i < subgraph.operators.size(); ++i) {
      for (TensorId output : placed.prepared->outputs[i]) {
        if (output.valid())
          producers[output.index()] = OperatorId::FromIndex(i);
      }
    }
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const Holding held = placed.prepared->tensors[t].holding;
      if (held == Holding::kMapped || held == Holding::kNone) continue;
      Piece piece = PieceOf(id, placed, t);
      piece.tensor = {id, TensorId::FromIndex(t)};
      if (producers[t].valid()) piece.op = {id, producers[t]};
      if (placed.places.of[t].shares) {
        piece.alias_of = {id, TensorId(*placed.places.of[t].shares)};
      }
      if (piece.live.empty() && held != Holding::kGiven) continue;
      layout_.pieces.push_back(std::move(piece));
    }
  }

  void AddTemporaries(SubgraphId id, const Placed& placed) {
    const size_t begin = model_.subgraph(id).tensors.size();
    for (size_t t = begin; t < placed.prepared->tensors.size(); ++t) {
      const PreparedTensor& tensor = placed.prepared->tensors[t];
      if (tensor.holding == Holding::kNone) continue;
      Piece piece = PieceOf(id, placed, t);
      if (piece.owner == Owner::kTensor) piece.owner = Owner::kScratch;
      piece.op = {id, tensor.owner};
      piece.label = tensor.label;
      piece.engine_index = static_cast<int32_t>(t);
      layout_.pieces.push_back(std::move(piece));
    }
  }

  // The tensors that a callee is given lie where its (first) caller's do.
  void FollowCallers() {
    IndexPieces(model_, &layout_);
    std::vector<bool> done(model_.subgraphs.size(), false);
    for (const schedule::StepInfo& step : layout_.timeline.steps) {
      if (!step.op.op.valid()) continue;
      const graph::Operator& op =
          model_.subgraph(step.op.subgraph).operators[step.op.op.index()];
      for (size_t c = 0; c < op.callees.size(); ++c) {
        const SubgraphId callee = op.callees[c];
        if (done[callee.index()]) continue;
        done[callee.index()] = true;
        const auto& inputs = model_.subgraph(callee).inputs;
        for (size_t k = 0; k < inputs.size(); ++k) {
          Follow({callee, inputs[k]}, Source(step.op, op, k));
        }
      }
    }
  }

  // WHILE's body works on the operator's outputs, or on its inputs where an
  // output was left out; branches work on the inputs behind the condition.
  TensorRef Source(graph::OperatorRef ref, const graph::Operator& op,
                   size_t k) const {
    const size_t skip = op.kind == OpKind::kIf ? 1 : 0;
    const auto& outputs =
        placed_.at(ref.subgraph).prepared->outputs[ref.op.index()];
    if (op.kind == OpKind::kWhile && k < outputs.size() && outputs[k].valid()) {
      return {ref.subgraph, outputs[k]};
    }
    if (k + skip >= op.inputs.size()) return {};
    return {ref.subgraph, op.inputs[k + skip]};
  }

  void Follow(TensorRef input, TensorRef source) {
    const auto placed = placed_.find(input.subgraph);
    if (placed == placed_.end() || !source.tensor.valid()) return;
    const auto& tensors = placed->second.prepared->tensors;
    if (tensors[input.tensor.index()].holding != Holding::kGiven) return;
    const auto at =
        layout_.piece_of[input.subgraph.index()][input.tensor.index()];
    const auto from =
        layout_.piece_of[source.subgraph.index()][source.tensor.index()];
    if (!at) return;
    Piece& piece = layout_.pieces[*at];
    piece.alias_of = source;
    if (!from) {  // The caller's is a constant.
      piece.region = heap_;
      return;
    }
    piece.region = layout_.pieces[*from].region;
    piece.offset = layout_.pieces[*from].offset;
    piece.live = StepsOf(input.subgraph, 0, LiteRtArena::kForever);
  }

  const graph::Model& model_;
  const Prepared& prepared_;
  Layout& layout_;
  std::map<SubgraphId, Placed> placed_;
  size_t heap_ = 0;
};

}  // namespace

Result<Layout> PlanLiteRt(const graph::Model& model, SubgraphId entry) {
  Layout layout;
  layout.engine = "litert";
  layout.alignment = LiteRtArena::kAlignment;
  STOWPLAN_TRY(timeline, schedule::MakeTimeline(model, entry));
  layout.timeline = std::move(timeline);
  Prepared prepared = PrepareLiteRt(model, entry);
  STOWPLAN_RETURN_IF_ERROR(CheckSizes(model, prepared));
  LayoutBuilder(model, prepared, &layout).Run();
  layout.notes = std::move(prepared.notes);
  return layout;
}

Result<std::vector<LiteRtResize>> ResizeLiteRt(
    const std::vector<graph::Model>& shapes, SubgraphId entry) {
  std::vector<LiteRtResize> resizes;
  std::optional<LiteRtPlaces> places;
  Bytes held = 0;
  for (const graph::Model& model : shapes) {
    STOWPLAN_RETURN_IF_ERROR(CheckSameGraph(shapes.front(), model, entry));
    const Prepared prepared = PrepareLiteRt(model, entry);
    STOWPLAN_RETURN_IF_ERROR(CheckSizes(model, prepared));
    places = PlaceLiteRt(model.subgraph(entry), prepared.subgraphs.at(entry),
                         places ? &*places : nullptr);
    const Bytes needed = places->arena_bytes.back();
    const bool grows = needed > held;
    resizes.push_back(
        {needed, std::max(held, needed), grows ? held + needed : held});
    held = std::max(held, needed);
  }
  return resizes;
}

}  // namespace stowplan::engines
