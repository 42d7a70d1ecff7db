// SPDX-License-Identifier: Apache-2.0
//
// LSTM on floats, with weights of floats or integers: Hochreiter & Schmidhuber,
// "Long Short-Term Memory"; peepholes and projection as in Sak et al., "Long
// Short-Term Memory Recurrent Neural Network Architectures", equations 1-7.
#include <cmath>

#include "stowplan/kernels/reference/hybrid.h"
#include "stowplan/kernels/reference/lstm_node.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {
namespace {

float Sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

float Activate(std::string_view activation, float x) {
  if (activation == "TANH") return std::tanh(x);
  const FloatRange range = ActivationRange(activation);
  return std::clamp(x, range.min, range.max);
}

// One row of floats, and its integers where weights are integers.
struct Row {
  const float* values = nullptr;
  RowScale scale;
  const int16_t* stored = nullptr;
};

// One run: a batch entry at a time, so that scratch is small.
class Run {
 public:
  explicit Run(const Node& node)
      : lstm_(node),
        activation_(ActivationOf(node)),
        cell_clip_(node.options.Float("cell_clip", 0.0f)),
        output_clip_(node.options.Float("proj_clip", 0.0f)),
        asymmetric_(node.options.Flag("asymmetric_quantize_inputs")) {
    auto* next = reinterpret_cast<float*>(node.scratch);
    for (float*& gate : gates_) {
      gate = next;
      next += lstm_.cells;
    }
    stored_input_ = reinterpret_cast<int16_t*>(next);
    stored_state_ = stored_input_ + lstm_.inputs;
  }

  static Bytes ScratchOf(const LstmNode& lstm) {
    return 4 * lstm.cells * static_cast<Bytes>(sizeof(float)) +
           (lstm.inputs + std::max(lstm.outputs, lstm.cells)) *
               static_cast<Bytes>(sizeof(int16_t));
  }

  void All() {
    for (int64_t batch = 0; batch < lstm_.batches; ++batch) {
      for (int64_t time = 0; time < lstm_.times; ++time) Step(time, batch);
    }
  }

 private:
  void Step(int64_t time, int64_t batch) {
    const int64_t row = lstm_.RowOf(time, batch);
    float* state = lstm_.OutputState().As<float>() + batch * lstm_.outputs;
    float* cell = lstm_.CellState().As<float>() + batch * lstm_.cells;
    const Row input =
        RowOf(lstm_.node.input(0)->As<float>() + row * lstm_.inputs,
              lstm_.inputs, lstm_.Weights(kOutputGate), stored_input_);
    const Row recurrent = RowOf(state, lstm_.outputs,
                                lstm_.Recurrent(kOutputGate), stored_state_);
    for (Gate gate : {kInputGate, kForgetGate, kCellGate}) {
      if (lstm_.Has(gate)) FillGate(gate, input, recurrent, cell);
    }
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      const float in = lstm_.coupled() ? 1.0f - gates_[kForgetGate][c]
                                       : gates_[kInputGate][c];
      cell[c] = gates_[kForgetGate][c] * cell[c] + in * gates_[kCellGate][c];
      if (cell_clip_ > 0)
        cell[c] = std::clamp(cell[c], -cell_clip_, cell_clip_);
    }
    FillGate(kOutputGate, input, recurrent, cell);
    float* hidden = gates_[kOutputGate];
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      hidden[c] *= Activate(activation_, cell[c]);
    }
    Project(hidden, state);
    std::copy_n(state, lstm_.outputs,
                lstm_.node.output().As<float>() + row * lstm_.outputs);
  }

  Row RowOf(const float* values, int64_t size, const Tensor* weights,
            int16_t* stored) const {
    Row row = {values, {}, stored};
    if (weights == nullptr || weights->type == Type::kFloat32) return row;
    row.scale = asymmetric_ ? AsymmetricScale(values, size)
                            : SymmetricScale(values, size);
    for (int64_t i = 0; i < size; ++i) {
      stored[i] = row.scale.Quantize(values[i]);
    }
    return row;
  }

  // sums[r] += weights[r] * row
  static void AddProduct(const Tensor& weights, const Row& row, int64_t rows,
                         int64_t depth, float* sums) {
    if (weights.type == Type::kFloat32) {
      for (int64_t r = 0; r < rows; ++r) {
        sums[r] += Dot(weights.As<float>() + r * depth, row.values, depth);
      }
      return;
    }
    const IntegerRows integers(weights, depth);
    int16_t buffer[kTileDepth];
    for (int64_t r = 0; r < rows; ++r) {
      int32_t sum = 0;
      for (int64_t k = 0; k < depth; k += kTileDepth) {
        const int64_t end = std::min(k + kTileDepth, depth);
        sum += Dot(integers(r, k, end, buffer), row.stored + k, end - k);
      }
      sums[r] += static_cast<float>(sum) *
                 (row.scale.scale * weights.quantization.ScaleOf(r));
    }
  }

  void FillGate(Gate gate, const Row& input, const Row& recurrent,
                const float* cell) {
    float* sums = gates_[gate];
    const Tensor* bias = lstm_.Bias(gate);
    const Tensor* norm = lstm_.Norm(gate);
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      sums[c] =
          norm != nullptr || bias == nullptr ? 0.0f : bias->As<float>()[c];
    }
    AddProduct(*lstm_.Weights(gate), input, lstm_.cells, lstm_.inputs, sums);
    AddProduct(*lstm_.Recurrent(gate), recurrent, lstm_.cells, lstm_.outputs,
               sums);
    if (const Tensor* peephole = lstm_.Peephole(gate)) {
      AddPeephole(*peephole, cell, sums);
    }
    if (norm != nullptr) Normalize(*norm, *bias, sums);
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      sums[c] =
          gate == kCellGate ? Activate(activation_, sums[c]) : Sigmoid(sums[c]);
    }
  }

  void AddPeephole(const Tensor& peephole, const float* cell,
                   float* sums) const {
    const float scale = peephole.quantization.scale();
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      const float weight =
          peephole.type == Type::kFloat32
              ? peephole.As<float>()[c]
              : scale * static_cast<float>(peephole.As<int8_t>()[c]);
      sums[c] += weight * cell[c];
    }
  }

  // Ba, Kiros & Hinton, "Layer Normalization", equation 4.
  void Normalize(const Tensor& norm, const Tensor& bias, float* sums) const {
    const auto count = static_cast<double>(lstm_.cells);
    double mean = 0;
    for (int64_t c = 0; c < lstm_.cells; ++c) mean += double{sums[c]};
    mean /= count;
    double variance = 0;
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      const double distance = double{sums[c]} - mean;
      variance += distance * distance;
    }
    const double inverse = 1.0 / std::sqrt(variance / count + 1e-8);
    for (int64_t c = 0; c < lstm_.cells; ++c) {
      sums[c] = static_cast<float>((double{sums[c]} - mean) * inverse) *
                    norm.As<float>()[c] +
                bias.As<float>()[c];
    }
  }

  void Project(const float* hidden, float* state) const {
    const Tensor* weights = lstm_.Projection();
    if (weights == nullptr) {
      std::copy_n(hidden, lstm_.cells, state);
      return;
    }
    const Row row = RowOf(hidden, lstm_.cells, weights, stored_state_);
    const Tensor* bias = lstm_.ProjectionBias();
    for (int64_t i = 0; i < lstm_.outputs; ++i) {
      state[i] = bias == nullptr ? 0.0f : bias->As<float>()[i];
    }
    AddProduct(*weights, row, lstm_.outputs, lstm_.cells, state);
    if (output_clip_ <= 0) return;
    for (int64_t i = 0; i < lstm_.outputs; ++i) {
      state[i] = std::clamp(state[i], -output_clip_, output_clip_);
    }
  }

  LstmNode lstm_;
  std::string_view activation_;
  float cell_clip_;
  float output_clip_;
  bool asymmetric_;
  float* gates_[4] = {};
  int16_t* stored_input_ = nullptr;
  int16_t* stored_state_ = nullptr;
};

// Weights are all of one type; all else is floats.
Status CheckTypes(const LstmNode& lstm) {
  const Node& node = lstm.node;
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kFloat32}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, *node.input(2), {Type::kFloat32, Type::kInt8, Type::kUInt8}));
  const Type weights = node.input(2)->type;
  for (size_t i = 1; i <= 23; ++i) {
    const bool is_weight = i <= 11 || i == 16;
    if (node.input(i) == nullptr) continue;
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(i),
                                       {is_weight ? weights : Type::kFloat32}));
  }
  for (const Gate gate : kGates) {
    for (const Tensor* matrix : {lstm.Weights(gate), lstm.Recurrent(gate)}) {
      if (matrix == nullptr) continue;
      STOWPLAN_RETURN_IF_ERROR(CheckScales(node, *matrix, lstm.cells));
    }
  }
  if (lstm.Projection() != nullptr) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckScales(node, *lstm.Projection(), lstm.outputs));
  }
  for (size_t i : {9, 10, 11}) {
    if (node.input(i) == nullptr) continue;
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, *node.input(i), {Type::kFloat32, Type::kInt8}));
  }
  return CheckType(node, node.output(), {Type::kFloat32});
}

}  // namespace

Result<Needs> PrepareFullLstm(const Node& node) {
  if (ActivationOf(node) != "TANH") {
    STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  }
  if (node.input(0)->type == Type::kInt8) return PrepareIntegerLstm(node);
  const LstmNode lstm(node);
  STOWPLAN_RETURN_IF_ERROR(CheckTypes(lstm));
  Needs needs;
  needs.scratch = Run::ScratchOf(lstm);
  return needs;
}

Status RunFullLstm(const Node& node) {
  if (node.input(0)->type == Type::kInt8) return RunIntegerLstm(node);
  Run(node).All();
  return {};
}

}  // namespace stowplan::kernels::reference
