// SPDX-License-Identifier: Apache-2.0
//
// FULLY_CONNECTED: rows of the input times rows of the weights.
#include "stowplan/kernels/reference/blockwise.h"
#include "stowplan/kernels/reference/conv.h"
#include "stowplan/kernels/reference/float_product.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/sparse_rows.h"
#include "stowplan/kernels/reference/sums.h"
#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {
namespace {

struct Layer {
  const Node& node;
  const Tensor& input;
  const Tensor& weights;
  const Tensor* bias;
  int64_t rows = 0;
  int64_t units = 0;
  int64_t depth = 0;
};

// Hands `run` the weights as rows of 16-bit integers.
template <class Run>
void WithIntegers(const Layer& layer, const Run& run) {
  if (layer.weights.sparsity != nullptr) {
    return run(SparseRows<int8_t, int16_t>(layer.weights));
  }
  run(IntegerRows(layer.weights, layer.depth));
}

template <class T>
void RunInteger(const Layer& layer) {
  const ShiftedRows<T> rows(layer.input.As<T>(), layer.depth,
                            layer.input.quantization.zero_point());
  const OutputPlace place = {layer.units, 0};
  WithIntegers(layer, [&](const auto& weights) {
    if constexpr (sizeof(T) == 2) {
      TiledProduct<int16_t, int64_t>(
          layer.rows, layer.units, layer.depth, rows, weights,
          WideSink(layer.node, layer.input, layer.weights, layer.bias, place));
    } else {
      TiledProduct<int16_t, int32_t>(
          layer.rows, layer.units, layer.depth, rows, weights,
          IntegerSink<T>(layer.node, layer.input, layer.weights, layer.bias,
                         place));
    }
  });
}

// LiteRT's code for weights of four bits, which it takes where four of them
// fit side by side, knows no zero point.
bool IsAsymmetric(const Layer& layer) {
  const bool packed = layer.weights.type == Type::kInt4 && layer.units >= 4 &&
                      layer.depth >= 32 && layer.depth % 2 == 0;
  return layer.node.options.Flag("asymmetric_quantize_inputs") && !packed;
}

// Row by row, since each has a scale of its own.
template <class Weights>
void RunHybrid(const Layer& layer, const Weights& weights) {
  const bool asymmetric = IsAsymmetric(layer);
  for (int64_t r = 0; r < layer.rows; ++r) {
    const float* row = layer.input.As<float>() + r * layer.depth;
    const RowScale scale = asymmetric ? AsymmetricScale(row, layer.depth)
                                      : SymmetricScale(row, layer.depth);
    const auto quantized = [&](int64_t, int64_t begin, int64_t end,
                               int16_t* buffer) {
      for (int64_t k = begin; k < end; ++k) {
        buffer[k - begin] = scale.Quantize(row[k]);
      }
      return buffer;
    };
    const auto sink = HybridSink(layer.node, layer.weights, layer.bias, scale,
                                 {layer.units, 0});
    TiledProduct<int16_t, int32_t>(
        1, layer.units, layer.depth, quantized, weights,
        [&](int64_t channel, int64_t, int64_t count, const int32_t* sums) {
          sink(channel, r, count, sums);
        });
  }
}

void RunFloat(const Layer& layer) {
  const FloatRows rows(layer.input.As<float>(), layer.depth);
  const auto sink = FloatSink(layer.node, layer.bias, {layer.units, 0});
  if (layer.weights.sparsity != nullptr) {
    const SparseRows<float, float> weights(layer.weights);
    return FloatProduct(layer.rows, layer.units, layer.depth, rows, weights,
                        sink);
  }
  FloatProduct(layer.rows, layer.units, layer.depth, rows,
               FloatRows(layer.weights.As<float>(), layer.depth), sink);
}

Status CheckTypes(const Node& node) {
  const Tensor& input = *node.input(0);
  const Tensor& weights = *node.input(1);
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, input, {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt16}));
  if (node.output().type != input.type) {
    return Unsupported(node, "input and output differ in type");
  }
  switch (input.type) {
    case Type::kFloat32:
      return CheckType(node, weights,
                       {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt4,
                        Type::kInt2});
    case Type::kUInt8:
      return CheckType(node, weights, {Type::kUInt8, Type::kInt8});
    default:
      return CheckType(node, weights, {Type::kInt8, Type::kInt4, Type::kInt2});
  }
}

Status CheckSparsity(const Node& node, const Tensor& weights) {
  if (!weights.constant || !IsSparseRows(weights) ||
      !IsOneOf(weights.type, {Type::kFloat32, Type::kInt8})) {
    return Unsupported(node, "weights in this sparse form need a DENSIFY");
  }
  for (const int64_t zero : weights.quantization.zero_points) {
    if (zero != 0) {
      return Unsupported(node, "sparse weights with a zero point have no code");
    }
  }
  return {};
}

Status CheckWeightScales(const Node& node) {
  const Tensor& input = *node.input(0);
  const Tensor& weights = *node.input(1);
  const int64_t units = weights.shape[0];
  if (weights.quantization.block_size == 0) {
    return CheckWeights(node, input, weights, node.input(2), units);
  }
  if (input.type != Type::kFloat32 || weights.type == Type::kFloat32) {
    return Unsupported(node, "blocks of weights serve a float input only");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckBias(node, node.input(2), units));
  return CheckBlocks(node, weights, units);
}

}  // namespace

Result<Needs> PrepareFullyConnected(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  STOWPLAN_RETURN_IF_ERROR(CheckTypes(node));
  const Tensor& weights = *node.input(1);
  if (weights.shape.rank != 2 || weights.shape[1] == 0 ||
      node.input(0)->shape.elements() % weights.shape[1] != 0) {
    return Unsupported(node, "the weights do not divide the input");
  }
  if (node.options.Text("weights_format", "DEFAULT") != "DEFAULT") {
    return Unsupported(node, "shuffled weights have no code");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckWeightScales(node));
  if (weights.sparsity != nullptr) {
    STOWPLAN_RETURN_IF_ERROR(CheckSparsity(node, weights));
  }
  return Needs{};
}

Status RunFullyConnected(const Node& node) {
  const Tensor& input = *node.input(0);
  const Tensor& weights = *node.input(1);
  const Layer layer = {node,
                       input,
                       weights,
                       node.input(2),
                       input.shape.elements() / weights.shape[1],
                       weights.shape[0],
                       weights.shape[1]};
  switch (input.type) {
    case Type::kInt8:
      RunInteger<int8_t>(layer);
      break;
    case Type::kUInt8:
      RunInteger<uint8_t>(layer);
      break;
    case Type::kInt16:
      RunInteger<int16_t>(layer);
      break;
    default:
      if (weights.type == Type::kFloat32) {
        RunFloat(layer);
      } else if (weights.quantization.block_size > 0) {
        MultiplyByBlocks(node, layer.rows);
      } else {
        WithIntegers(layer, [&](const auto& rows) { RunHybrid(layer, rows); });
      }
  }
  return {};
}

}  // namespace stowplan::kernels::reference
