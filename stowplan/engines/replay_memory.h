// SPDX-License-Identifier: Apache-2.0
//
// The memory of a symbolic run: what each tensor's place holds.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stowplan/engines/byte_map.h"
#include "stowplan/engines/engine.h"

namespace stowplan::engines {

// Who made a value.
struct ValueSource {
  graph::OperatorRef op;    // Invalid: the caller.
  graph::TensorRef tensor;  // Invalid: scratch.
};

struct Loss {
  size_t region = 0;
  HeldBytes held;
};

class ReplayMemory {
 public:
  ReplayMemory(const graph::Model& model, const Layout& layout);

  ValueId NewValue(ValueSource source);
  const ValueSource& SourceOf(ValueId value) const {
    return sources_[static_cast<size_t>(value)];
  }

  // The value that a reader of the tensor is to find.
  ValueId Expected(graph::TensorRef tensor) const;
  // Gives the tensor the value and writes it to the tensor's bytes; `by` is
  // the value itself, or who copies it.
  void Write(graph::TensorRef tensor, ValueId value, ValueId by);
  // Nothing if the bytes hold what is expected.
  std::optional<Loss> FindLoss(graph::TensorRef tensor) const;

  // The same for a piece that is no tensor, and for variables behind handles.
  void WritePiece(const Piece& piece, ValueId value, ValueId by);
  std::optional<Loss> FindLoss(const Piece& piece, ValueId value) const;
  ValueId& VariableAt(const Piece& piece);

  // Null if the tensor has no bytes in a region.
  const Piece* PlaceOf(graph::TensorRef tensor) const;

  // What a branch may change.
  struct State {
    std::vector<ByteMap> maps;  // By region.
    std::map<std::pair<size_t, Bytes>, ValueId> variables;
  };
  const State& state() const { return state_; }
  void Restore(State state) { state_ = std::move(state); }
  // After one of two branches, which of them is not known: variables that
  // were intact in each have a new value that a reader may rely on.
  void MergeWith(const State& other, ValueSource branch);

 private:
  const Layout& layout_;
  std::vector<std::vector<ValueId>> expected_;  // By subgraph, tensor.
  std::vector<ValueSource> sources_;
  State state_;
  std::map<std::pair<size_t, Bytes>, Bytes> variable_bytes_;
};

}  // namespace stowplan::engines
