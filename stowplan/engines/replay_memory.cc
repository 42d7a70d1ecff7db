// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/replay_memory.h"

#include <utility>

namespace stowplan::engines {
namespace {

ByteRange RangeOf(const Piece& piece) {
  return {*piece.offset, *piece.offset + piece.bytes};
}

}  // namespace

ReplayMemory::ReplayMemory(const graph::Model& model, const Layout& layout)
    : layout_(layout) {
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    expected_.emplace_back(subgraph.tensors.size(), kNothing);
  }
  state_.maps.resize(layout.regions.size());
}

ValueId ReplayMemory::NewValue(ValueSource source) {
  sources_.push_back(source);
  return static_cast<ValueId>(sources_.size() - 1);
}

const Piece* ReplayMemory::PlaceOf(graph::TensorRef tensor) const {
  const auto at =
      layout_.piece_of[tensor.subgraph.index()][tensor.tensor.index()];
  if (!at) return nullptr;
  const Piece& piece = layout_.pieces[*at];
  return piece.offset && piece.bytes > 0 ? &piece : nullptr;
}

ValueId ReplayMemory::Expected(graph::TensorRef tensor) const {
  return expected_[tensor.subgraph.index()][tensor.tensor.index()];
}

void ReplayMemory::Write(graph::TensorRef tensor, ValueId value, ValueId by) {
  expected_[tensor.subgraph.index()][tensor.tensor.index()] = value;
  const Piece* piece = PlaceOf(tensor);
  // A view in place writes nothing: whoever put the value there, stays it.
  if (piece != nullptr && FindLoss(*piece, value)) {
    WritePiece(*piece, value, by);
  }
}

std::optional<Loss> ReplayMemory::FindLoss(graph::TensorRef tensor) const {
  const Piece* piece = PlaceOf(tensor);
  return piece == nullptr ? std::nullopt : FindLoss(*piece, Expected(tensor));
}

void ReplayMemory::WritePiece(const Piece& piece, ValueId value, ValueId by) {
  const ByteRange bytes = RangeOf(piece);
  state_.maps[piece.region].Write(
      {bytes.begin, bytes.end, value, bytes.begin, by});
}

std::optional<Loss> ReplayMemory::FindLoss(const Piece& piece,
                                           ValueId value) const {
  const auto held = state_.maps[piece.region].FindLoss(RangeOf(piece), value);
  if (!held) return std::nullopt;
  return Loss{piece.region, *held};
}

ValueId& ReplayMemory::VariableAt(const Piece& piece) {
  const std::pair key(piece.region, *piece.offset);
  variable_bytes_.emplace(key, piece.bytes);
  return state_.variables.emplace(key, kNothing).first->second;
}

void ReplayMemory::MergeWith(const State& other, ValueSource branch) {
  const State mine = std::exchange(state_, {});
  for (size_t r = 0; r < mine.maps.size(); ++r) {
    state_.maps.push_back(Merge(mine.maps[r], other.maps[r]));
  }
  for (const auto& [key, bytes] : variable_bytes_) {
    const ByteRange range = {key.second, key.second + bytes};
    bool intact = true;
    for (const State* side : {&mine, &other}) {
      const auto value = side->variables.find(key);
      intact = intact && value != side->variables.end() &&
               !side->maps[key.first].FindLoss(range, value->second);
    }
    const ValueId merged = NewValue(branch);
    state_.variables[key] = merged;
    if (!intact) continue;
    state_.maps[key.first].Write(
        {range.begin, range.end, merged, range.begin, merged});
  }
}

}  // namespace stowplan::engines
