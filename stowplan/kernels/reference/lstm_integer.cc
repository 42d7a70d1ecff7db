// SPDX-License-Identifier: Apache-2.0
//
// UNIDIRECTIONAL_SEQUENCE_LSTM on 8-bit activations and weights: gates and
// cell state have 16 bits, gates 12 fractional bits before and 15 after their
// function, the cell state as many as its scale says.
#include <cmath>
#include <cstdlib>

#include "stowplan/kernels/reference/fixed_point16.h"
#include "stowplan/kernels/reference/lstm_node.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

constexpr double kGateStep = 1.0 / 4096;

int32_t DotShifted(const int8_t* weights, const int8_t* row, int64_t size,
                   int32_t zero) {
  int32_t sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += weights[i] * (row[i] - zero);
  return sum;
}

class Run {
 public:
  explicit Run(const Node& node)
      : lstm_(node),
        input_zero_(node.input(0)->quantization.zero_point()),
        state_zero_(lstm_.OutputState().quantization.zero_point()),
        cell_shift_(ExponentOf(lstm_.CellState().quantization.scale())) {
    auto* next = reinterpret_cast<int16_t*>(node.scratch);
    for (int16_t*& gate : gates_) {
      gate = next;
      next += lstm_.cells;
    }
    hidden_ = reinterpret_cast<int8_t*>(next);
    FindScales();
  }

  static Bytes ScratchOf(const LstmNode& lstm) { return 9 * lstm.cells; }

  // log2 of a scale that is a power of two.
  static int ExponentOf(float scale) {
    int exponent = 0;
    std::frexp(scale, &exponent);
    return exponent - 1;
  }

  void All() {
    for (int64_t batch = 0; batch < lstm_.batches; ++batch) {
      for (int64_t time = 0; time < lstm_.times; ++time) Step(time, batch);
    }
  }

 private:
  void FindScales() {
    const double in = lstm_.node.input(0)->quantization.scale();
    const double state = lstm_.OutputState().quantization.scale();
    const double cell = lstm_.CellState().quantization.scale();
    for (Gate gate : {kInputGate, kForgetGate, kCellGate, kOutputGate}) {
      if (gate == kInputGate && lstm_.coupled()) continue;
      const double w = lstm_.Weights(gate)->quantization.scale();
      const double r = lstm_.Recurrent(gate)->quantization.scale();
      input_scale_[gate] = ToFixedPoint(w * in / kGateStep);
      state_scale_[gate] = ToFixedPoint(r * state / kGateStep);
      if (const Tensor* peephole = lstm_.Peephole(gate)) {
        peephole_scale_[gate] = ToFixedPoint(
            double{peephole->quantization.scale()} * cell / kGateStep);
      }
    }
    const Quantization& hidden = HiddenOf(lstm_);
    hidden_zero_ = hidden.zero_point();
    const double step = hidden.scale();
    hidden_scale_ = ToFixedPoint(std::pow(2, -15) / step * std::pow(2, -15));
    if (const Tensor* projection = lstm_.Projection()) {
      projection_scale_ =
          ToFixedPoint(double{projection->quantization.scale()} * step / state);
    }
    cell_clip_ = static_cast<int32_t>(
        std::clamp(double{lstm_.node.options.Float("cell_clip", 0.0f)} / cell,
                   -32768.0, 32767.0));
    output_clip_ = static_cast<int32_t>(
        std::clamp(double{lstm_.node.options.Float("proj_clip", 0.0f)} / state,
                   -128.0, 127.0));
  }

  // The last of the intermediates, or the output's where there is none.
  static const Quantization& HiddenOf(const LstmNode& lstm) {
    const auto& intermediates = lstm.node.intermediates;
    if (intermediates.size() > 4 && intermediates[4] != nullptr &&
        !intermediates[4]->quantization.scales.empty()) {
      return intermediates[4]->quantization;
    }
    return lstm.OutputState().quantization;
  }

  void Step(int64_t time, int64_t batch) {
    const int64_t row = lstm_.RowOf(time, batch);
    const int8_t* input =
        lstm_.node.input(0)->As<int8_t>() + row * lstm_.inputs;
    int8_t* state = lstm_.OutputState().As<int8_t>() + batch * lstm_.outputs;
    int16_t* cell = lstm_.CellState().As<int16_t>() + batch * lstm_.cells;
    for (Gate gate : {kInputGate, kForgetGate, kCellGate}) {
      if (gate == kInputGate && lstm_.coupled()) continue;
      FillGate(gate, input, state, cell);
    }
    for (int64_t c = 0; c < lstm_.cells; ++c) UpdateCell(c, cell);
    FillGate(kOutputGate, input, state, cell);
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      const int32_t product = gates_[kOutputGate][c] * CellTanh(cell[c]);
      hidden_[c] = static_cast<int8_t>(std::clamp(
          Multiply(product, hidden_scale_) + hidden_zero_, -128, 127));
    }
    Project(state);
    std::copy_n(state, lstm_.outputs,
                lstm_.node.output().As<int8_t>() + row * lstm_.outputs);
  }

  // A state with less than no integer bits has none left after a shift.
  int16_t CellTanh(int16_t x) const {
    const int bits = 15 + cell_shift_;
    if (bits >= 0) return Tanh16(x, bits);
    return Tanh16(static_cast<int16_t>(DivideByPowerOfTwo(x, -bits)), 0);
  }

  void FillGate(Gate gate, const int8_t* input, const int8_t* state,
                const int16_t* cell) {
    const int8_t* weights = lstm_.Weights(gate)->As<int8_t>();
    const int8_t* recurrent = lstm_.Recurrent(gate)->As<int8_t>();
    const Tensor* bias = lstm_.Bias(gate);
    const Tensor* peephole = lstm_.Peephole(gate);
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      int32_t sum = bias == nullptr ? 0 : bias->As<int32_t>()[c];
      sum += DotShifted(weights + c * lstm_.inputs, input, lstm_.inputs,
                        input_zero_);
      int16_t value = Saturate16(Multiply(sum, input_scale_[gate]));
      sum = DotShifted(recurrent + c * lstm_.outputs, state, lstm_.outputs,
                       state_zero_);
      value = Saturate16(Multiply(sum, state_scale_[gate]) + value);
      if (peephole != nullptr) {
        const int32_t product = peephole->As<int16_t>()[c] * cell[c];
        value = Saturate16(Multiply(product, peephole_scale_[gate]) + value);
      }
      gates_[gate][c] = gate == kCellGate ? Tanh16(value, 3) : Sigmoid16(value);
    }
  }

  void UpdateCell(int64_t c, int16_t* cell) const {
    const int16_t forget = gates_[kForgetGate][c];
    const auto in = static_cast<int16_t>(
        lstm_.coupled() ? INT16_MAX - forget : gates_[kInputGate][c]);
    const int32_t kept = DivideByPowerOfTwo(forget * cell[c], 15);
    const int32_t added =
        DivideByPowerOfTwo(in * gates_[kCellGate][c], 30 + cell_shift_);
    int32_t sum = Saturate16(Saturate16(kept) + Saturate16(added));
    if (cell_clip_ > 0) sum = std::clamp(sum, -cell_clip_, cell_clip_);
    cell[c] = static_cast<int16_t>(sum);
  }

  void Project(int8_t* state) const {
    const Tensor* projection = lstm_.Projection();
    if (projection == nullptr) {
      std::copy_n(hidden_, lstm_.cells, state);
      return;
    }
    const Tensor* bias = lstm_.ProjectionBias();
    for (int64_t i = 0; i < lstm_.outputs; ++i) {
      int32_t sum = bias == nullptr ? 0 : bias->As<int32_t>()[i];
      sum += DotShifted(projection->As<int8_t>() + i * lstm_.cells, hidden_,
                        lstm_.cells, hidden_zero_);
      int32_t value =
          std::clamp(Multiply(sum, projection_scale_) + state_zero_, -128, 127);
      if (output_clip_ > 0) {
        value = std::clamp(value, -output_clip_, output_clip_);
      }
      state[i] = static_cast<int8_t>(value);
    }
  }

  LstmNode lstm_;
  int32_t input_zero_;
  int32_t state_zero_;
  int cell_shift_;
  int32_t hidden_zero_ = 0;
  int32_t cell_clip_ = 0;
  int32_t output_clip_ = 0;
  FixedPoint input_scale_[4];
  FixedPoint state_scale_[4];
  FixedPoint peephole_scale_[4];
  FixedPoint hidden_scale_;
  FixedPoint projection_scale_;
  int16_t* gates_[4] = {};
  int8_t* hidden_ = nullptr;
};

}  // namespace

Result<Needs> PrepareIntegerLstm(const Node& node) {
  const LstmNode lstm(node);
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *lstm.Weights(kOutputGate), {Type::kInt8}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, lstm.CellState(), {Type::kInt16}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, lstm.OutputState(), {Type::kInt8}));
  if (lstm.Norm(kForgetGate) != nullptr) {
    return Unsupported(node, "integer layer normalisation has no code");
  }
  const int shift = Run::ExponentOf(lstm.CellState().quantization.scale());
  if (shift < -24 || shift > -1) {
    return Unsupported(node, "the cell state's scale is out of range");
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
