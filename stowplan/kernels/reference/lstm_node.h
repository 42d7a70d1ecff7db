// SPDX-License-Identifier: Apache-2.0
//
// The operands of a sequence LSTM by name. Internal to this folder.
#pragma once

#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {

// Gates in the order of the operands.
enum Gate : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate };

struct LstmNode {
  explicit LstmNode(const Node& operands) : node(operands) {
    const Shape& shape = node.input(0)->shape;
    const bool time_major = node.options.Flag("time_major");
    times = shape[time_major ? 0 : 1];
    batches = shape[time_major ? 1 : 0];
    inputs = shape[2];
    cells = Weights(kOutputGate)->shape[0];
    outputs = Recurrent(kOutputGate)->shape[1];
  }

  const Tensor* Weights(Gate gate) const { return node.input(1 + gate); }
  const Tensor* Recurrent(Gate gate) const { return node.input(5 + gate); }
  // None for the cell gate.
  const Tensor* Peephole(Gate gate) const {
    if (gate == kCellGate) return nullptr;
    return node.input(gate == kOutputGate ? 11 : 9 + gate);
  }
  const Tensor* Bias(Gate gate) const { return node.input(12 + gate); }
  const Tensor* Projection() const { return node.input(16); }
  const Tensor* ProjectionBias() const { return node.input(17); }
  Tensor& OutputState() const { return *node.variable(18); }
  Tensor& CellState() const { return *node.variable(19); }
  const Tensor* Norm(Gate gate) const { return node.input(20 + gate); }
  // Input and forget gate are coupled: input = 1 - forget.
  bool coupled() const { return Weights(kInputGate) == nullptr; }

  // Which row of the input or output a time and a batch have.
  int64_t RowOf(int64_t time, int64_t batch) const {
    return node.options.Flag("time_major") ? time * batches + batch
                                           : batch * times + time;
  }

  const Node& node;
  int64_t times = 0, batches = 0, inputs = 0, cells = 0, outputs = 0;
};

// Integer code, in lstm_integer.cc.
Result<Needs> PrepareIntegerLstm(const Node& node);
Status RunIntegerLstm(const Node& node);

}  // namespace stowplan::kernels::reference
