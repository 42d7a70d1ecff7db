// SPDX-License-Identifier: Apache-2.0
//
// The LSTM of five inputs: one matrix for all gates, which stand in the order
// input, cell, forget, output. Zaremba et al., "Recurrent Neural Network
// Regularization", section 3.1.
#include <cmath>

#include "stowplan/kernels/reference/lstm_node.h"
#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {
namespace {

enum Operand : size_t { kInput, kOutputState, kWeights, kBias, kCellState };
enum Product : size_t { kOutput, kNewCell, kJoined, kSums };

struct Layer {
  explicit Layer(const Node& node)
      : batches(node.input(kInput)->shape[0]),
        inputs(node.input(kInput)->shape[1]),
        cells(node.input(kOutputState)->shape[1]) {}
  int64_t batches, inputs, cells;
};

float Sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

bool HasShape(const Tensor& tensor, int64_t rows, int64_t columns) {
  return tensor.shape.rank == 2 && tensor.shape[0] == rows &&
         tensor.shape[1] == columns;
}

Status CheckShapes(const Node& node) {
  const Layer layer(node);
  const int64_t depth = layer.inputs + layer.cells;
  const bool match =
      HasShape(*node.input(kWeights), 4 * layer.cells, depth) &&
      node.input(kBias)->shape.elements() == 4 * layer.cells &&
      HasShape(*node.input(kOutputState), layer.batches, layer.cells) &&
      HasShape(*node.input(kCellState), layer.batches, layer.cells) &&
      node.output(kOutput).shape.elements() == layer.batches * layer.cells &&
      node.output(kNewCell).shape.elements() == layer.batches * layer.cells &&
      node.output(kJoined).shape.elements() == layer.batches * depth &&
      node.output(kSums).shape.elements() == layer.batches * 4 * layer.cells;
  if (!match) return Unsupported(node, "the operands' shapes do not match");
  return {};
}

// One row of a batch; the two last outputs are what lies between.
void RunRow(const Node& node, const Layer& layer, int64_t batch) {
  const int64_t cells = layer.cells;
  const int64_t depth = layer.inputs + cells;
  float* joined = node.output(kJoined).As<float>() + batch * depth;
  float* sums = node.output(kSums).As<float>() + batch * 4 * cells;
  std::copy_n(node.input(kInput)->As<float>() + batch * layer.inputs,
              layer.inputs, joined);
  std::copy_n(node.input(kOutputState)->As<float>() + batch * cells, cells,
              joined + layer.inputs);
  for (int64_t i = 0; i < 4 * cells; ++i) {
    sums[i] = node.input(kBias)->As<float>()[i] +
              Dot(node.input(kWeights)->As<float>() + i * depth, joined, depth);
  }
  const float* old_cell = node.input(kCellState)->As<float>() + batch * cells;
  float* new_cell = node.output(kNewCell).As<float>() + batch * cells;
  float* output = node.output(kOutput).As<float>() + batch * cells;
  for (int64_t c = 0; c < cells; ++c) {
    const float in = Sigmoid(sums[c]);
    const float added = std::tanh(sums[cells + c]);
    const float forget = Sigmoid(sums[2 * cells + c]);
    new_cell[c] = in * added + forget * old_cell[c];
    output[c] = Sigmoid(sums[3 * cells + c]) * std::tanh(new_cell[c]);
  }
}

}  // namespace

Result<Needs> PrepareBasicLstm(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 5, 4));
  for (const auto& tensors : {node.inputs, node.outputs}) {
    for (const Tensor* tensor : tensors) {
      if (tensor == nullptr) continue;
      STOWPLAN_RETURN_IF_ERROR(CheckType(node, *tensor, {Type::kFloat32}));
    }
  }
  if (node.input(kInput)->shape.rank != 2 ||
      node.input(kOutputState)->shape.rank != 2) {
    return Unsupported(node, "an operand is no matrix");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckShapes(node));
  return Needs{};
}

Status RunBasicLstm(const Node& node) {
  const Layer layer(node);
  for (int64_t batch = 0; batch < layer.batches; ++batch) {
    RunRow(node, layer, batch);
  }
  // States that are variables carry over to the next run.
  for (const auto& [state, value] :
       {std::pair(kOutputState, kOutput), std::pair(kCellState, kNewCell)}) {
    Tensor& variable = *node.variable(state);
    if (!variable.variable) continue;
    std::copy_n(node.output(value).As<float>(), variable.shape.elements(),
                variable.As<float>());
  }
  return {};
}

}  // namespace stowplan::kernels::reference
