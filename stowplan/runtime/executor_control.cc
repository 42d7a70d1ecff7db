// SPDX-License-Identifier: Apache-2.0
//
// Control flow and resource variables. A callee's tensors are planned into
// the holes that the caller's live tensors leave; values are copied at a call,
// unless they lie where they are to go.
#include <cstring>
#include <string>

#include "stowplan/runtime/executor.h"

namespace stowplan::runtime {
namespace {

using graph::OperatorRef;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

bool IsTrue(const kernels::Tensor& condition) {
  return condition.bytes > 0 && *condition.As<uint8_t>() != 0;
}

}  // namespace

Status Executor::RunControl(OperatorRef ref) {
  const graph::Operator& op = OperatorOf(ref);
  switch (op.kind) {
    case OpKind::kIf:
      return RunIf(ref);
    case OpKind::kWhile:
      return RunWhile(ref);
    case OpKind::kCallOnce:
      return RunCallOnce(ref);
    case OpKind::kReadVariable:
      return ReadVariable(ref);
    case OpKind::kAssignVariable:
      return AssignVariable(ref);
    case OpKind::kVarHandle:
      return {};  // Its tensor is the variable's memory.
    default:
      return RunCall(ref, op.callees[0], 0);
  }
}

// Inputs from position `skip` on go to the callee.
Status Executor::RunCall(OperatorRef ref, SubgraphId callee, size_t skip) {
  const graph::Operator& op = OperatorOf(ref);
  const graph::Subgraph& subgraph = program_.model().subgraph(callee);
  for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
    STOWPLAN_RETURN_IF_ERROR(Copy({ref.subgraph, op.inputs[i + skip]},
                                  {callee, subgraph.inputs[i]}));
  }
  STOWPLAN_RETURN_IF_ERROR(RunSubgraph(callee));
  for (size_t i = 0; i < subgraph.outputs.size(); ++i) {
    STOWPLAN_RETURN_IF_ERROR(
        Copy({callee, subgraph.outputs[i]}, {ref.subgraph, op.outputs[i]}));
  }
  return {};
}

Status Executor::RunIf(OperatorRef ref) {
  const graph::Operator& op = OperatorOf(ref);
  const bool taken =
      IsTrue(program_.bound().tensor({ref.subgraph, op.inputs[0]}));
  return RunCall(ref, op.callees[taken ? 0 : 1], 1);
}

// The loop's state lies in the operator's own outputs between iterations:
// they are live through all of its callees' steps. Arguments that the plan
// puts there are not copied (schedule/loop_state.h); all else lies elsewhere,
// so that the order of the copies does not matter.
Status Executor::RunWhile(OperatorRef ref) {
  const graph::Operator& op = OperatorOf(ref);
  const SubgraphId condition = op.callees[0];
  const SubgraphId body = op.callees[1];
  const graph::Subgraph& test = program_.model().subgraph(condition);
  const graph::Subgraph& step = program_.model().subgraph(body);
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    STOWPLAN_RETURN_IF_ERROR(
        Copy({ref.subgraph, op.inputs[i]}, {ref.subgraph, op.outputs[i]}));
  }
  while (true) {
    for (size_t i = 0; i < test.inputs.size(); ++i) {
      STOWPLAN_RETURN_IF_ERROR(
          Copy({ref.subgraph, op.outputs[i]}, {condition, test.inputs[i]}));
    }
    STOWPLAN_RETURN_IF_ERROR(RunSubgraph(condition));
    if (!IsTrue(program_.bound().tensor({condition, test.outputs[0]}))) {
      return {};
    }
    STOWPLAN_RETURN_IF_ERROR(CountIteration(ref));
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      STOWPLAN_RETURN_IF_ERROR(
          Copy({ref.subgraph, op.outputs[i]}, {body, step.inputs[i]}));
    }
    STOWPLAN_RETURN_IF_ERROR(RunSubgraph(body));
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      STOWPLAN_RETURN_IF_ERROR(
          Copy({body, step.outputs[i]}, {ref.subgraph, op.outputs[i]}));
    }
  }
}

Status Executor::RunCallOnce(OperatorRef ref) {
  const SubgraphId callee = OperatorOf(ref).callees[0];
  if (called_[callee.index()]) return {};
  STOWPLAN_RETURN_IF_ERROR(RunSubgraph(callee));
  called_[callee.index()] = true;
  return {};
}

// The handle's tensor lies where the variable does.
Status Executor::ReadVariable(OperatorRef ref) {
  const graph::Operator& op = OperatorOf(ref);
  const kernels::Tensor& handle =
      program_.bound().tensor({ref.subgraph, op.inputs[0]});
  kernels::Tensor& value =
      program_.bound().tensor({ref.subgraph, op.outputs[0]});
  if (handle.data == nullptr || value.data == nullptr ||
      value.bytes > handle.bytes) {
    return BadInput(
        "operator " + std::to_string(ref.op.value()) + " (READ_VARIABLE)",
        "the variable's size is not known", "the model cannot run");
  }
  std::memcpy(value.data, handle.data, static_cast<size_t>(value.bytes));
  return {};
}

Status Executor::AssignVariable(OperatorRef ref) {
  const graph::Operator& op = OperatorOf(ref);
  kernels::Tensor& handle =
      program_.bound().tensor({ref.subgraph, op.inputs[0]});
  const kernels::Tensor& value =
      program_.bound().tensor({ref.subgraph, op.inputs[1]});
  if (handle.data == nullptr || value.bytes > handle.bytes) {
    return BadInput(
        "operator " + std::to_string(ref.op.value()) + " (ASSIGN_VARIABLE)",
        "the value is larger than the variable", "the model cannot run");
  }
  std::memcpy(handle.data, value.data, static_cast<size_t>(value.bytes));
  return {};
}

}  // namespace stowplan::runtime
