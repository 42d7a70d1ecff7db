// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/foreign_layout.h"

#include <charconv>
#include <optional>

#include "stowplan/base/checked_math.h"

namespace stowplan::engines {
namespace {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

std::optional<int32_t> ToIndex(std::string_view text) {
  int32_t value = 0;
  const auto result =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() ||
      value < 0) {
    return std::nullopt;
  }
  return value;
}

constexpr Bytes kMostBytes = Bytes{1} << 61;

Status CheckPlace(Bytes offset, Bytes bytes, const std::string& where) {
  const auto end = CheckedAdd(offset, bytes);
  if (offset < 0 || bytes < 0 || !end || *end > kMostBytes) {
    return BadInput(where, "an offset or size is negative or over 2^61",
                    "check the plan's file");
  }
  return {};
}

}  // namespace

Result<ForeignLayout> ForeignLayout::Create(const graph::Model& model,
                                            const schedule::MemoryNeeds& needs,
                                            std::string engine) {
  ForeignLayout result(model, needs);
  result.layout_.engine = std::move(engine);
  if (model.subgraphs.empty()) return BadInput("model", "it has no subgraph");
  STOWPLAN_TRY(timeline, schedule::MakeTimeline(model, SubgraphId(0)));
  result.layout_.timeline = std::move(timeline);
  result.layout_.regions.push_back({Region::Kind::kArena, SubgraphId(), 0});
  result.regions_[{Region::Kind::kArena, SubgraphId()}] = 0;
  return result;
}

Result<TensorRef> ForeignLayout::ParseTensor(std::string_view text,
                                             const std::string& where) const {
  const size_t colon = text.find(':');
  const bool plain = colon == std::string_view::npos;
  const auto subgraph =
      plain ? std::optional<int32_t>(0) : ToIndex(text.substr(0, colon));
  const auto tensor = ToIndex(plain ? text : text.substr(colon + 1));
  if (!subgraph || !tensor) {
    return BadInput(where, "'" + std::string(text) + "' is no tensor",
                    "write NUMBER or SUBGRAPH:NUMBER");
  }
  return TensorRef{SubgraphId(*subgraph), TensorId(*tensor)};
}

bool ForeignLayout::Has(TensorRef tensor) const {
  return tensor.subgraph.index() < model_.subgraphs.size() &&
         tensor.tensor.index() <
             model_.subgraph(tensor.subgraph).tensors.size();
}

size_t ForeignLayout::RegionOf(Region::Kind kind, SubgraphId subgraph) {
  const auto [entry, added] =
      regions_.emplace(std::pair(kind, subgraph), layout_.regions.size());
  if (added) layout_.regions.push_back({kind, subgraph, 0});
  return entry->second;
}

// Variables, and what engines compute once from constants.
Owner ForeignLayout::OwnerOf(TensorRef ref) const {
  const graph::Subgraph& subgraph = model_.subgraph(ref.subgraph);
  if (subgraph.tensor(ref.tensor).variable) return Owner::kPersistent;
  for (const graph::Operator& op : subgraph.operators) {
    if (op.kind != graph::OpKind::kDequantize &&
        op.kind != graph::OpKind::kDensify) {
      continue;
    }
    if (op.outputs.empty() || op.outputs[0] != ref.tensor) continue;
    const bool constant = !op.inputs.empty() && op.inputs[0].valid() &&
                          subgraph.tensor(op.inputs[0]).constant;
    return constant ? Owner::kPersistent : Owner::kTensor;
  }
  return Owner::kTensor;
}

Status ForeignLayout::Place(TensorRef tensor, Region::Kind kind,
                            SubgraphId subgraph, Bytes offset, Bytes bytes,
                            const std::string& where) {
  if (!Has(tensor)) {
    return BadInput(where, "the model has no such tensor",
                    "use the plan of this model");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckPlace(offset, bytes, where));
  Piece piece;
  piece.tensor = tensor;
  piece.region = RegionOf(kind, subgraph);
  piece.offset = offset;
  piece.bytes = bytes;
  if (!placed_.emplace(tensor, piece).second) {
    return BadInput(where, "the tensor has two places", "remove one");
  }
  return {};
}

Status ForeignLayout::PlaceScratch(graph::OperatorRef op, SubgraphId subgraph,
                                   Bytes offset, Bytes bytes,
                                   const std::string& where) {
  if (op.subgraph.index() >= model_.subgraphs.size() ||
      op.op.index() >= model_.subgraph(op.subgraph).operators.size()) {
    return BadInput(where, "the model has no such operator",
                    "use the plan of this model");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckPlace(offset, bytes, where));
  Piece piece;
  piece.owner = Owner::kScratch;
  piece.op = op;
  piece.label = "scratch";
  piece.region = RegionOf(Region::Kind::kArena, subgraph);
  piece.offset = offset;
  piece.bytes = bytes;
  scratch_.push_back(std::move(piece));
  return {};
}

std::vector<TensorRef> ForeignLayout::Needy() const {
  std::vector<TensorRef> needy;
  for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
    for (size_t t = 0; t < model_.subgraphs[s].tensors.size(); ++t) {
      const TensorRef ref = {SubgraphId::FromIndex(s), TensorId::FromIndex(t)};
      const schedule::TensorKind& kind = needs_.kinds.at(ref);
      if (kind.kind == schedule::Kind::kArena && kind.bytes > 0) {
        needy.push_back(ref);
      }
    }
  }
  return needy;
}

std::vector<TensorRef> ForeignLayout::Unplaced() const {
  std::vector<TensorRef> unplaced = Needy();
  std::erase_if(unplaced, [this](TensorRef ref) { return IsPlaced(ref); });
  return unplaced;
}

Result<Layout> ForeignLayout::Finish() && {
  const std::vector<TensorRef> needy = Needy();
  const size_t placed = needy.size() - Unplaced().size();
  if (placed == 0 && !needy.empty()) {
    return BadInput("plan",
                    "it places none of the " + std::to_string(needy.size()) +
                        " tensors that need bytes in the arena",
                    "give a plan of this model");
  }
  for (auto& [tensor, piece] : placed_) {
    piece.owner = OwnerOf(tensor);
    // TFLM computes what it makes from constants in each run; its plan says
    // what is persistent.
    if (layout_.engine == "tflm" &&
        layout_.regions[piece.region].kind == Region::Kind::kArena) {
      piece.owner = Owner::kTensor;
    }
    if (layout_.engine == "stowplan" &&
        model_.subgraph(tensor.subgraph).tensor(tensor.tensor).dtype ==
            DType::kResource) {
      piece.label = kVariableLabel;
    }
    layout_.pieces.push_back(std::move(piece));
  }
  for (Piece& piece : scratch_) layout_.pieces.push_back(std::move(piece));
  if (placed < needy.size()) {
    layout_.notes.push_back(std::to_string(placed) + " of " +
                            std::to_string(needy.size()) +
                            " tensors are placed by the plan, the others were "
                            "given bytes of their own");
  }
  IndexPieces(model_, &layout_);
  return std::move(layout_);
}

}  // namespace stowplan::engines
