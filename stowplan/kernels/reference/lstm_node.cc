// SPDX-License-Identifier: Apache-2.0
//
// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM: which code runs them, and the checks
// of their operands.
#include "stowplan/kernels/reference/lstm_node.h"

#include "stowplan/kernels/reference/recurrent.h"

namespace stowplan::kernels::reference {
namespace {

bool HasShape(const Tensor* tensor, std::initializer_list<int64_t> dims) {
  if (tensor == nullptr) return true;
  return tensor->shape.rank == dims.size() &&
         std::equal(dims.begin(), dims.end(), tensor->shape.dims.begin());
}

bool AreComplete(const LstmNode& lstm) {
  const bool peephole = lstm.Peephole(kOutputGate) != nullptr;
  const bool norm = lstm.Norm(kOutputGate) != nullptr;
  for (Gate gate : kGates) {
    const bool wanted = lstm.Has(gate);
    if ((lstm.Weights(gate) != nullptr) != wanted ||
        (lstm.Recurrent(gate) != nullptr) != wanted ||
        (lstm.Bias(gate) != nullptr) != wanted ||
        (lstm.Norm(gate) != nullptr) != (wanted && norm)) {
      return false;
    }
    if (gate != kCellGate &&
        (lstm.Peephole(gate) != nullptr) != (wanted && peephole)) {
      return false;
    }
  }
  return lstm.Projection() != nullptr || lstm.ProjectionBias() == nullptr;
}

bool HaveShapes(const LstmNode& lstm) {
  for (Gate gate : kGates) {
    if (!HasShape(lstm.Weights(gate), {lstm.cells, lstm.inputs}) ||
        !HasShape(lstm.Recurrent(gate), {lstm.cells, lstm.outputs}) ||
        !HasShape(lstm.Peephole(gate), {lstm.cells}) ||
        !HasShape(lstm.Bias(gate), {lstm.cells}) ||
        !HasShape(lstm.Norm(gate), {lstm.cells})) {
      return false;
    }
  }
  return HasShape(lstm.Projection(), {lstm.outputs, lstm.cells}) &&
         HasShape(lstm.ProjectionBias(), {lstm.outputs}) &&
         (lstm.Projection() != nullptr || lstm.outputs == lstm.cells);
}

bool IsBasic(const Node& node) {
  return node.options.Text("kernel_type", "FULL") == "BASIC";
}

}  // namespace

Status CheckLstm(const Node& node, size_t rank) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  for (size_t i : {2, 3, 4, 6, 7, 8, 13, 14, 15, 18, 19}) {
    if (node.input(i) == nullptr) {
      return Unsupported(node, "input " + std::to_string(i) + " is missing");
    }
  }
  if (node.input(0)->shape.rank != rank) {
    return Unsupported(
        node, "the input has not " + std::to_string(rank) + " dimensions");
  }
  if (node.options.Flag("diagonal_recurrent_tensors") ||
      node.input(8)->shape.rank != 2 || node.input(4)->shape.rank != 2) {
    return Unsupported(node, "diagonal weights have no code");
  }
  const LstmNode lstm(node);
  if (!AreComplete(lstm)) {
    return Unsupported(node, "some gates have an operand that others lack");
  }
  if (!HaveShapes(lstm) ||
      lstm.OutputState().shape.elements() != lstm.batches * lstm.outputs ||
      lstm.CellState().shape.elements() != lstm.batches * lstm.cells) {
    return Unsupported(node, "the operands' shapes do not match");
  }
  for (const Tensor* state : {&lstm.OutputState(), &lstm.CellState()}) {
    STOWPLAN_RETURN_IF_ERROR(CheckState(node, *state));
  }
  return CheckElements(node, node.output(),
                       lstm.batches * lstm.times * lstm.outputs);
}

Result<Needs> PrepareSequenceLstm(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckLstm(node, 3));
  return PrepareFullLstm(node);
}

Status RunSequenceLstm(const Node& node) { return RunFullLstm(node); }

Result<Needs> PrepareLstm(const Node& node) {
  if (IsBasic(node)) return PrepareBasicLstm(node);
  STOWPLAN_RETURN_IF_ERROR(CheckLstm(node, 2));
  return PrepareFullLstm(node);
}

Status RunLstm(const Node& node) {
  return IsBasic(node) ? RunBasicLstm(node) : RunFullLstm(node);
}

}  // namespace stowplan::kernels::reference
