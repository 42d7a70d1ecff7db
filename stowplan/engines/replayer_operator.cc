// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stowplan/engines/replayer.h"

namespace stowplan::engines {
namespace {

using graph::OperatorRef;
using graph::OpKind;
using graph::TensorId;
using graph::TensorRef;
using plan::Step;

bool Overlap(const Piece& a, const Piece& b) {
  return a.region == b.region && *a.offset < *b.offset + b.bytes &&
         *b.offset < *a.offset + a.bytes;
}

// The operand that output 0 shows under another shape; invalid if none.
TensorId ViewedBy(const graph::Operator& op) {
  const bool view =
      op.in_place ? op.in_place->kind == graph::InPlaceClaim::Kind::kView
                  : graph::TraitsOf(op.kind).sharing == graph::Sharing::kView;
  const size_t input = op.in_place ? op.in_place->input : 0;
  return view && input < op.inputs.size() ? op.inputs[input] : TensorId();
}

bool MayOverwrite(const graph::Operator& op, size_t input) {
  if (op.in_place) {
    return op.in_place->kind != graph::InPlaceClaim::Kind::kNone &&
           op.in_place->input == input;
  }
  const graph::OpTraits& traits = graph::TraitsOf(op.kind);
  return traits.sharing != graph::Sharing::kNone && traits.MayShare(input);
}

}  // namespace

void Replayer::RunOperator(size_t visit, OperatorRef ref, Step step) {
  const graph::Operator& op =
      model_.subgraph(ref.subgraph).operators[ref.op.index()];
  ReadOperands(ref, op, step);
  if (!op.callees.empty()) return RunCallees(visit, ref, op, step);
  if (op.kind == OpKind::kReadVariable && ReadVariable(ref, op, step)) return;
  if (op.kind == OpKind::kAssignVariable) AssignVariable(ref, op);
  WriteScratch(ref, op, step);
  if (run_ > 0 && IsComputedOnce(ref, op)) return;
  WriteOutputs(ref, op, step);
  CheckScratch(ref, op, step);
  UpdateState(ref, op);
}

void Replayer::ReadOperands(OperatorRef ref, const graph::Operator& op,
                            Step step) {
  for (TensorId input : op.inputs) {
    if (input.valid()) Read(ref, {ref.subgraph, input}, step);
  }
}

// False if the plan does not place the variable.
bool Replayer::ReadVariable(OperatorRef ref, const graph::Operator& op,
                            Step step) {
  if (op.inputs.empty() || !op.inputs[0].valid() || op.outputs.empty() ||
      !op.outputs[0].valid()) {
    return false;
  }
  const TensorRef handle = {ref.subgraph, op.inputs[0]};
  const Piece* variable = VariableBehind(handle);
  if (variable == nullptr) return false;
  ++result_.reads;
  const ValueId value = memory_.VariableAt(*variable);
  if (const auto loss = memory_.FindLoss(*variable, value)) {
    Report(ref, handle, step, *loss);
  }
  WriteNew(ref, {ref.subgraph, op.outputs[0]});
  return true;
}

void Replayer::AssignVariable(OperatorRef ref, const graph::Operator& op) {
  if (op.inputs.empty() || !op.inputs[0].valid()) return;
  const TensorRef handle = {ref.subgraph, op.inputs[0]};
  const Piece* variable = VariableBehind(handle);
  if (variable == nullptr) return;
  const ValueId value = memory_.NewValue({ref, handle});
  memory_.VariableAt(*variable) = value;
  memory_.WritePiece(*variable, value, value);
}

// Kernels write their scratch while they still read operands.
void Replayer::WriteScratch(OperatorRef ref, const graph::Operator& op,
                            Step step) {
  const auto found = scratch_.find(ref);
  if (found == scratch_.end()) return;
  scratch_values_.clear();
  for (const Piece* piece : found->second) {
    const ValueId value = memory_.NewValue({ref, {}});
    scratch_values_.push_back(value);
    memory_.WritePiece(*piece, value, value);
  }
  ReadOperands(ref, op, step);
}

// An output or other scratch on top of it is as bad as the reverse. The output
// is what comes out wrong.
void Replayer::CheckScratch(OperatorRef ref, const graph::Operator& op,
                            Step step) {
  const auto found = scratch_.find(ref);
  if (found == scratch_.end()) return;
  for (size_t i = 0; i < found->second.size(); ++i) {
    const auto loss = memory_.FindLoss(*found->second[i], scratch_values_[i]);
    if (!loss || op.outputs.empty() || !op.outputs[0].valid()) continue;
    Report(ref, {ref.subgraph, op.outputs[0]}, step, *loss);
  }
}

// Over constants, into memory that outlives the run.
bool Replayer::IsComputedOnce(OperatorRef ref,
                              const graph::Operator& op) const {
  for (TensorId output : op.outputs) {
    const Piece* piece =
        output.valid() ? memory_.PlaceOf({ref.subgraph, output}) : nullptr;
    if (piece == nullptr || piece->owner != Owner::kPersistent) return false;
  }
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
    return !id.valid() || Tensor({ref.subgraph, id}).constant;
  });
}

void Replayer::WriteOutputs(OperatorRef ref, const graph::Operator& op,
                            Step step) {
  const TensorId viewed = ViewedBy(op);
  for (size_t o = 0; o < op.outputs.size(); ++o) {
    if (!op.outputs[o].valid()) continue;
    const TensorRef output = {ref.subgraph, op.outputs[o]};
    CheckOperandsUnder(ref, op, o, step);
    ValueId value = kNothing;
    if (o == 0 && viewed.valid()) {
      value = memory_.Expected({ref.subgraph, viewed});
    }
    if (value != kNothing) {
      memory_.Write(output, value, memory_.NewValue({ref, output}));
    } else {
      WriteNew(ref, output);
    }
  }
  // No output may lie on one that was written before it.
  for (size_t o = 0; o + 1 < op.outputs.size(); ++o) {
    if (op.outputs[o].valid()) Read(ref, {ref.subgraph, op.outputs[o]}, step);
  }
}

// An operator writes while it reads: its output may lie on an operand only
// where it has the right to, and then exactly.
void Replayer::CheckOperandsUnder(OperatorRef ref, const graph::Operator& op,
                                  size_t position, Step step) {
  const TensorRef output = {ref.subgraph, op.outputs[position]};
  const Piece* to = memory_.PlaceOf(output);
  if (to == nullptr) return;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const TensorRef operand = {ref.subgraph, op.inputs[k]};
    if (!op.inputs[k].valid() || operand == output ||
        Tensor(operand).constant) {
      continue;
    }
    const Piece* from = memory_.PlaceOf(operand);
    if (from == nullptr || !Overlap(*from, *to)) continue;
    // A view leaves the bytes as they are, whatever its size is taken for.
    const bool view = ViewedBy(op) == op.inputs[k];
    const bool exact =
        from->offset == to->offset && (view || from->bytes == to->bytes);
    if (exact && position == 0 && MayOverwrite(op, k)) continue;
    const Bytes begin = std::max(*from->offset, *to->offset);
    const Bytes end =
        std::min(*from->offset + from->bytes, *to->offset + to->bytes);
    const ValueId value = memory_.NewValue({ref, output});
    Report(ref, operand, step, {to->region, {begin, end, value, begin, value}});
  }
}

// Kernels with state change it in place.
void Replayer::UpdateState(OperatorRef ref, const graph::Operator& op) {
  for (TensorId input : op.inputs) {
    if (input.valid() && Tensor({ref.subgraph, input}).variable) {
      WriteNew(ref, {ref.subgraph, input});
    }
  }
}

}  // namespace stowplan::engines
