// SPDX-License-Identifier: Apache-2.0
//
// LSTM on 8-bit activations and weights: gates and cell state have 16 bits,
// gates 12 fractional bits before and 15 after their function, the cell state
// as many as its scale says. LiteRT has this one arithmetic in both of its
// modes, so we follow it in both of ours, also where it departs from the
// definition:
// - What is added to the cell state wraps around where it has less than no
//   integer bits.
// - tanh of the cell state exists for 0 to 6 integer bits. With other scales
//   its buffer keeps what was in it, the input gate.
// - Peephole weights are read as if a row had as many cells as outputs.
// - The product before a projection is clamped with its zero point negated.
#include <algorithm>
#include <cmath>

#include "stowplan/kernels/reference/fixed_point16.h"
#include "stowplan/kernels/reference/lstm_scales.h"

namespace stowplan::kernels::reference {
namespace {

int32_t DotShifted(const int8_t* weights, const int8_t* row, int64_t size,
                   int32_t zero) {
  int32_t sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    sum = AddWrapped(sum, weights[i] * (row[i] - zero));
  }
  return sum;
}

class Run {
 public:
  explicit Run(const Node& node)
      : lstm_(node),
        scales_(lstm_),
        input_zero_(node.input(0)->quantization.zero_point()),
        state_zero_(lstm_.OutputState().quantization.zero_point()),
        hidden_zero_(scales_.hidden_zero),
        cell_exponent_(ExponentOf(lstm_.CellState().quantization.scale())) {
    if (lstm_.Projection() != nullptr) hidden_zero_ = -hidden_zero_;
    auto* next = reinterpret_cast<int16_t*>(node.scratch);
    for (int16_t*& gate : gates_) {
      gate = next;
      next += lstm_.cells;
    }
    hidden_ = reinterpret_cast<int8_t*>(next);
  }

  static Bytes ScratchOf(const LstmNode& lstm) { return 9 * lstm.cells; }

  void All() {
    for (int64_t batch = 0; batch < lstm_.batches; ++batch) {
      for (int64_t time = 0; time < lstm_.times; ++time) Step(time, batch);
    }
  }

 private:
  void Step(int64_t time, int64_t batch) {
    const int64_t row = lstm_.RowOf(time, batch);
    const int8_t* input =
        lstm_.node.input(0)->As<int8_t>() + row * lstm_.inputs;
    int8_t* state = lstm_.OutputState().As<int8_t>() + batch * lstm_.outputs;
    int16_t* cell = lstm_.CellState().As<int16_t>() + batch * lstm_.cells;
    for (Gate gate : {kInputGate, kForgetGate, kCellGate}) {
      if (lstm_.Has(gate)) FillGate(gate, batch, input, state, cell);
    }
    for (int64_t c = 0; c < lstm_.cells; ++c) UpdateCell(c, cell);
    FillGate(kOutputGate, batch, input, state, cell);
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      const int32_t product = gates_[kOutputGate][c] * CellTanh(c, cell[c]);
      hidden_[c] = static_cast<int8_t>(std::clamp(
          AddSaturated(Multiply(product, scales_.hidden), hidden_zero_), -128,
          127));
    }
    Project(state);
    std::copy_n(state, lstm_.outputs,
                lstm_.node.output().As<int8_t>() + row * lstm_.outputs);
  }

  // A state with less than no integer bits has none left after a shift.
  int16_t CellTanh(int64_t c, int16_t x) const {
    const int bits = 15 + cell_exponent_;
    if ((bits < 0 || bits > 6) && !lstm_.coupled()) {
      return gates_[kInputGate][c];
    }
    if (bits >= 0) return Tanh16(x, bits);
    return Tanh16(static_cast<int16_t>(DivideByPowerOfTwo(x, -bits)), 0);
  }

  // Null where the gate has no such weight.
  const int16_t* PeepholeOf(Gate gate, int64_t batch, int64_t c) const {
    const Tensor* peephole = lstm_.Peephole(gate);
    if (peephole == nullptr) return nullptr;
    if (lstm_.outputs >= lstm_.cells) {
      return peephole->As<int16_t>() + c;
    }
    const int64_t at = lstm_.time_major ? batch * lstm_.cells + c : c;
    const int64_t rows = lstm_.time_major ? lstm_.batches : 1;
    if (at >= rows * lstm_.outputs) return nullptr;
    return peephole->As<int16_t>() + at % lstm_.outputs;
  }

  void FillGate(Gate gate, int64_t batch, const int8_t* input,
                const int8_t* state, const int16_t* cell) {
    const LstmScales::GateScales& scales = scales_.gates[gate];
    const int8_t* weights = lstm_.Weights(gate)->As<int8_t>();
    const int8_t* recurrent = lstm_.Recurrent(gate)->As<int8_t>();
    const bool norm = lstm_.Norm(gate) != nullptr;
    const int32_t* bias = norm ? nullptr : lstm_.Bias(gate)->As<int32_t>();
    int16_t* values = gates_[gate];
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      int32_t sum = bias == nullptr ? 0 : bias[c];
      sum = AddWrapped(sum, DotShifted(weights + c * lstm_.inputs, input,
                                       lstm_.inputs, input_zero_));
      values[c] = Saturate16(Multiply(sum, scales.input));
      sum = DotShifted(recurrent + c * lstm_.outputs, state, lstm_.outputs,
                       state_zero_);
      values[c] =
          Saturate16(AddSaturated(Multiply(sum, scales.state), values[c]));
      if (const int16_t* peephole = PeepholeOf(gate, batch, c)) {
        values[c] = Saturate16(AddSaturated(
            Multiply(*peephole * cell[c], scales.peephole), values[c]));
      }
    }
    const std::span<int16_t> row(values, static_cast<size_t>(lstm_.cells));
    if (norm) scales.norm.Apply(row);
    for (int16_t& value : row) {
      value = gate == kCellGate ? Tanh16(value, 3) : Sigmoid16(value);
    }
  }

  void UpdateCell(int64_t c, int16_t* cell) const {
    const int16_t forget = gates_[kForgetGate][c];
    const auto in = static_cast<int16_t>(
        lstm_.coupled() ? INT16_MAX - forget : gates_[kInputGate][c]);
    const int32_t kept = DivideByPowerOfTwo(forget * cell[c], 15);
    const int32_t added =
        DivideByPowerOfTwo(in * gates_[kCellGate][c], 30 + cell_exponent_);
    int32_t sum = Saturate16(kept + static_cast<int16_t>(added));
    const int32_t clip = scales_.cell_clip;
    if (clip > 0) sum = std::clamp(sum, -clip, clip);
    cell[c] = static_cast<int16_t>(sum);
  }

  void Project(int8_t* state) const {
    const Tensor* projection = lstm_.Projection();
    if (projection == nullptr) {
      std::copy_n(hidden_, lstm_.cells, state);
      return;
    }
    const Tensor* bias = lstm_.ProjectionBias();
    const int32_t clip = scales_.output_clip;
    for (int64_t i = 0; i < lstm_.outputs; ++i) {
      int32_t sum = bias == nullptr ? 0 : bias->As<int32_t>()[i];
      sum =
          AddWrapped(sum, DotShifted(projection->As<int8_t>() + i * lstm_.cells,
                                     hidden_, lstm_.cells, hidden_zero_));
      int32_t value = std::clamp(
          AddSaturated(Multiply(sum, scales_.projection), state_zero_), -128,
          127);
      if (clip > 0) value = std::clamp(value, -clip, clip);
      state[i] = static_cast<int8_t>(value);
    }
  }

  LstmNode lstm_;
  LstmScales scales_;
  int32_t input_zero_;
  int32_t state_zero_;
  int32_t hidden_zero_;
  int cell_exponent_;
  int16_t* gates_[4] = {};
  int8_t* hidden_ = nullptr;
};

Status CheckTypes(const LstmNode& lstm) {
  const Node& node = lstm.node;
  for (Gate gate : kGates) {
    if (!lstm.Has(gate)) continue;
    for (const Tensor* weights : {lstm.Weights(gate), lstm.Recurrent(gate)}) {
      STOWPLAN_RETURN_IF_ERROR(CheckType(node, *weights, {Type::kInt8}));
    }
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, *lstm.Bias(gate), {Type::kInt32}));
    for (const Tensor* row : {lstm.Peephole(gate), lstm.Norm(gate)}) {
      if (row == nullptr) continue;
      STOWPLAN_RETURN_IF_ERROR(CheckType(node, *row, {Type::kInt16}));
    }
  }
  if (lstm.Projection() != nullptr) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, *lstm.Projection(), {Type::kInt8}));
  }
  if (lstm.ProjectionBias() != nullptr) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, *lstm.ProjectionBias(), {Type::kInt32}));
  }
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, lstm.CellState(), {Type::kInt16}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(), {Type::kInt8}));
  return CheckType(node, lstm.OutputState(), {Type::kInt8});
}

}  // namespace

Result<Needs> PrepareIntegerLstm(const Node& node) {
  const LstmNode lstm(node);
  STOWPLAN_RETURN_IF_ERROR(CheckTypes(lstm));
  if (node.intermediates.size() > 5) {
    return Unsupported(node, "gates of 8 bits have no code");
  }
  const int64_t hidden_zero = LstmScales(lstm).hidden_zero;
  if (hidden_zero < -128 || hidden_zero > 127) {
    return Unsupported(node, "the hidden state's zero point is none of int8");
  }
  const int exponent = ExponentOf(lstm.CellState().quantization.scale());
  if (exponent < -24 || exponent > -1) {
    return Unsupported(node, "the cell state's scale is no power of two");
  }
  Needs needs;
  needs.scratch = Run::ScratchOf(lstm);
  return needs;
}

Status RunIntegerLstm(const Node& node) {
  Run(node).All();
  return {};
}

}  // namespace stowplan::kernels::reference
