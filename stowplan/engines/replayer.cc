// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/replayer.h"

#include <algorithm>
#include <string>

namespace stowplan::engines {

using graph::OperatorId;
using graph::OperatorRef;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

Replayer::Replayer(const graph::Model& model, const Layout& layout,
                   const ReplayOptions& options)
    : model_(model),
      layout_(layout),
      options_(options),
      memory_(model, layout) {
  FindScratch();
  FindProducers();
  children_.resize(layout.timeline.visits.size());
  if (!children_.empty()) EnterVisit(0);
}

Replay Replayer::Run() && {
  if (layout_.timeline.visits.empty()) return std::move(result_);
  NoteUnjudged();
  WriteState();
  const schedule::Visit& entry = layout_.timeline.visits.front();
  const graph::Subgraph& main = model_.subgraph(entry.subgraph);
  for (run_ = 0; run_ < 2 && !Full(); ++run_) {
    for (TensorId input : main.inputs) {
      if (input.valid()) WriteNew({}, {entry.subgraph, input});
    }
    RunVisit(0);
    if (!options_.keep_outputs) continue;
    for (TensorId output : main.outputs) {
      if (!output.valid()) continue;
      Read({entry.subgraph, OperatorId()}, {entry.subgraph, output},
           layout_.timeline.end());
    }
  }
  return std::move(result_);
}

void Replayer::NoteUnjudged() {
  const auto on_heap = std::count_if(
      layout_.pieces.begin(), layout_.pieces.end(), [](const Piece& piece) {
        return piece.owner == Owner::kDynamic && piece.tensor.tensor.valid();
      });
  if (on_heap == 0) return;
  result_.notes.push_back(std::to_string(on_heap) +
                          " tensors lie on the heap, sized by the run or "
                          "computed before it; they overlap nothing");
}

void Replayer::FindScratch() {
  for (const Piece& piece : layout_.pieces) {
    if (piece.owner == Owner::kScratch && piece.offset && piece.bytes > 0 &&
        piece.op.op.valid()) {
      scratch_[piece.op].push_back(&piece);
    }
  }
}

void Replayer::FindProducers() {
  for (const graph::Subgraph& subgraph : model_.subgraphs) {
    auto& producers = producers_.emplace_back(subgraph.tensors.size());
    for (size_t i = 0; i < subgraph.operators.size(); ++i) {
      for (TensorId output : subgraph.operators[i].outputs) {
        if (!output.valid()) continue;
        producers[output.index()] = OperatorId::FromIndex(i);
      }
    }
  }
}

size_t Replayer::EnterVisit(size_t visit) {
  const graph::Subgraph& subgraph =
      model_.subgraph(layout_.timeline.visits[visit].subgraph);
  size_t next = visit + 1;
  for (size_t i = 0; i < subgraph.operators.size(); ++i) {
    for (size_t c = 0; c < subgraph.operators[i].callees.size(); ++c) {
      children_[visit].insert({{i, c}, next});
      next = EnterVisit(next);
    }
  }
  return next;
}

void Replayer::WriteState() {
  for (SubgraphId id : ReachedSubgraphs(layout_.timeline)) {
    const graph::Subgraph& subgraph = model_.subgraph(id);
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const TensorRef ref = {id, TensorId::FromIndex(t)};
      if (subgraph.tensors[t].variable) WriteNew({}, ref);
      const Piece* variable = VariableBehind(ref);
      if (variable == nullptr || memory_.VariableAt(*variable) != kNothing) {
        continue;
      }
      const ValueId value = memory_.NewValue({{}, ref});
      memory_.VariableAt(*variable) = value;
      memory_.WritePiece(*variable, value, value);
    }
  }
}

const Piece* Replayer::VariableBehind(TensorRef handle) const {
  if (Tensor(handle).dtype != DType::kResource) return nullptr;
  const Piece* piece = memory_.PlaceOf(handle);
  return piece != nullptr && piece->label == kVariableLabel ? piece : nullptr;
}

void Replayer::WriteNew(OperatorRef op, TensorRef tensor) {
  if (VariableBehind(tensor) != nullptr) return;  // A name, no value.
  const ValueId value = memory_.NewValue({op, tensor});
  memory_.Write(tensor, value, value);
}

void Replayer::Read(OperatorRef reader, TensorRef tensor, plan::Step step) {
  if (Tensor(tensor).constant || VariableBehind(tensor) != nullptr) return;
  ++result_.reads;
  if (const auto loss = memory_.FindLoss(tensor)) {
    Report(reader, tensor, step, *loss);
  }
}

void Replayer::Report(OperatorRef reader, TensorRef tensor, plan::Step step,
                      const Loss& loss) {
  if (Full() || !seen_.insert({reader, tensor}).second) return;
  BrokenRead broken;
  broken.step = step;
  broken.reader = reader;
  broken.tensor = tensor;
  broken.writer = {tensor.subgraph,
                   producers_[tensor.subgraph.index()][tensor.tensor.index()]};
  broken.written = loss.held.by != kNothing;
  if (broken.written) {
    const ValueSource& source = memory_.SourceOf(loss.held.by);
    broken.overwritten_by = source.op;
    broken.overwriting = source.tensor;
  }
  broken.region = loss.region;
  broken.bytes = {loss.held.begin, loss.held.end};
  result_.violations.push_back(broken);
}

}  // namespace stowplan::engines
