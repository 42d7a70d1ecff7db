// SPDX-License-Identifier: Apache-2.0
//
// The operands of an LSTM with 20 or 24 inputs by name: the sequence LSTM, and
// the LSTM of one time step. Internal to this folder.
#pragma once

#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {

// Gates in the order of the operands.
enum Gate : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate };
constexpr Gate kGates[4] = {kInputGate, kForgetGate, kCellGate, kOutputGate};

struct LstmNode {
  // REQUIRES: CheckLstm was successful.
  explicit LstmNode(const Node& operands) : node(operands) {
    const Shape& shape = node.input(0)->shape;
    // One time step for all batches is stored as time-major steps are.
    time_major = shape.rank == 2 || node.options.Flag("time_major");
    if (shape.rank == 2) {
      times = 1;
      batches = shape[0];
    } else {
      times = shape[time_major ? 0 : 1];
      batches = shape[time_major ? 1 : 0];
    }
    inputs = shape.last();
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
  bool Has(Gate gate) const { return gate != kInputGate || !coupled(); }

  // Which row of the input or output a time and a batch have.
  int64_t RowOf(int64_t time, int64_t batch) const {
    return time_major ? time * batches + batch : batch * times + time;
  }

  const Node& node;
  bool time_major = false;
  int64_t times = 0, batches = 0, inputs = 0, cells = 0, outputs = 0;
};

// Errors if an operand is missing or has a shape that the others do not allow.
// `rank`: of the input.
Status CheckLstm(const Node& node, size_t rank);

// LSTM code for floats and for integers by the type of the input.
Result<Needs> PrepareFullLstm(const Node& node);
Status RunFullLstm(const Node& node);

// Integer code, in lstm_integer.cc.
Result<Needs> PrepareIntegerLstm(const Node& node);
Status RunIntegerLstm(const Node& node);

// The LSTM of five inputs, in lstm_basic.cc.
Result<Needs> PrepareBasicLstm(const Node& node);
Status RunBasicLstm(const Node& node);

}  // namespace stowplan::kernels::reference
