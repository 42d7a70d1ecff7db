// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/replayer.h"

namespace stowplan::engines {

using graph::OperatorId;
using graph::OperatorRef;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using plan::Step;

void Replayer::RunVisit(size_t visit) {
  const schedule::Visit& v = layout_.timeline.visits[visit];
  for (size_t i = 0; i < v.step_of.size() && !Full(); ++i) {
    RunOperator(visit, {v.subgraph, OperatorId::FromIndex(i)}, v.step_of[i]);
  }
}

void Replayer::RunCallees(size_t visit, OperatorRef ref,
                          const graph::Operator& op, Step step) {
  if (op.kind == OpKind::kCallOnce && run_ > 0) return;
  if (op.kind == OpKind::kWhile && op.callees.size() == 2) {
    return RunLoop(visit, ref, op, step);
  }
  RunBranches(visit, ref, op, step);
  for (TensorId output : op.outputs) {
    if (output.valid()) WriteNew(ref, {ref.subgraph, output});
  }
}

void Replayer::Copy(OperatorRef ref, Step step, SubgraphId from,
                    const std::vector<TensorId>& sources, size_t skip,
                    SubgraphId to, const std::vector<TensorId>& targets) {
  for (size_t k = 0; k < targets.size() && k + skip < sources.size(); ++k) {
    const TensorRef source = {from, sources[k + skip]};
    const TensorRef target = {to, targets[k]};
    if (!source.tensor.valid() || !target.tensor.valid()) continue;
    Read(ref, source, step);
    const ValueId value = memory_.Expected(source);
    if (value == kNothing || VariableBehind(target) != nullptr) {
      WriteNew(ref, target);  // Of a constant, or a handle.
    } else {
      memory_.Write(target, value, memory_.NewValue({ref, target}));
    }
  }
}

// What the loop carries lies in the operator's outputs from its first step
// on: copied from its operands, then from there to the condition and to the
// body, and back from the body's outputs. Two passes, so that what the second
// reads was left by the first.
void Replayer::RunLoop(size_t visit, OperatorRef ref, const graph::Operator& op,
                       Step step) {
  const graph::Subgraph& condition = model_.subgraph(op.callees[0]);
  const graph::Subgraph& body = model_.subgraph(op.callees[1]);
  const SubgraphId caller = ref.subgraph;
  Copy(ref, step, caller, op.inputs, 0, caller, op.outputs);
  for (int pass = 0;; ++pass) {
    Copy(ref, step, caller, op.outputs, 0, op.callees[0], condition.inputs);
    RunVisit(ChildOf(visit, ref, 0));
    for (TensorId output : condition.outputs) {
      if (output.valid()) Read(ref, {op.callees[0], output}, step);
    }
    if (pass == 2 || Full()) return;
    Copy(ref, step, caller, op.outputs, 0, op.callees[1], body.inputs);
    RunVisit(ChildOf(visit, ref, 1));
    Copy(ref, step, op.callees[1], body.outputs, 0, caller, op.outputs);
  }
}

// Each branch from the same state; after them only what all left is sure.
void Replayer::RunBranches(size_t visit, OperatorRef ref,
                           const graph::Operator& op, Step step) {
  const size_t skip = op.kind == OpKind::kIf ? 1 : 0;
  const ReplayMemory::State before = memory_.state();
  ReplayMemory::State merged;
  for (size_t c = 0; c < op.callees.size(); ++c) {
    const graph::Subgraph& callee = model_.subgraph(op.callees[c]);
    if (c > 0) memory_.Restore(before);
    Copy(ref, step, ref.subgraph, op.inputs, skip, op.callees[c],
         callee.inputs);
    RunVisit(ChildOf(visit, ref, c));
    for (TensorId output : callee.outputs) {
      if (output.valid()) Read(ref, {op.callees[c], output}, step);
    }
    if (c > 0) memory_.MergeWith(merged, {ref, {}});
    if (c + 1 < op.callees.size()) merged = memory_.state();
  }
}

}  // namespace stowplan::engines
