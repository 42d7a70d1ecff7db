// SPDX-License-Identifier: Apache-2.0
//
// FULLY_CONNECTED: rows of the input times rows of the weights.
#include "stowplan/kernels/reference/conv.h"
#include "stowplan/kernels/reference/operands.h"
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

template <class T>
void RunInteger(const Layer& layer) {
  const ShiftedRows<T> rows(layer.input.As<T>(), layer.depth,
                            layer.input.quantization.zero_point());
  const IntegerRows weights(layer.weights, layer.depth);
  const OutputPlace place = {layer.units, 0};
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
}

// Row by row, since each has a scale of its own.
void RunHybrid(const Layer& layer) {
  const IntegerRows weights(layer.weights, layer.depth);
  const bool asymmetric = layer.node.options.Flag("asymmetric_quantize_inputs");
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

// Weights with a scale for each block are read as floats.
void RunBlockwise(const Layer& layer) {
  const Tensor& weights = layer.weights;
  const Quantization& quantization = weights.quantization;
  const int64_t block = quantization.block_size;
  const int64_t blocks = layer.depth / block;
  const IntegerRows integers(weights, layer.depth);
  const auto scaled = [&](int64_t row, int64_t begin, int64_t end,
                          float* buffer) {
    int16_t stored[kTileDepth];
    integers(row, begin, end, stored);
    for (int64_t k = begin; k < end; ++k) {
      const auto at = static_cast<size_t>(row * blocks + k / block);
      const float scale = FromHalf(quantization.half_scales[at]);
      buffer[k - begin] = static_cast<float>(stored[k - begin]) * scale;
    }
    return buffer;
  };
  TiledProduct<float, float>(
      layer.rows, layer.units, layer.depth,
      FloatRows(layer.input.As<float>(), layer.depth), scaled,
      FloatSink(layer.node, layer.bias, {layer.units, 0}));
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
  if (weights.quantization.block_size > 0 &&
      (weights.quantization.half_scales.empty() ||
       node.input(0)->type != Type::kFloat32)) {
    return Unsupported(node, "the scales of the blocks are not there");
  }
  if (weights.sparsity != nullptr) {
    return Unsupported(node, "sparse weights need a DENSIFY before them");
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
        TiledProduct<float, float>(
            layer.rows, layer.units, layer.depth,
            FloatRows(input.As<float>(), layer.depth),
            FloatRows(weights.As<float>(), layer.depth),
            FloatSink(node, layer.bias, {layer.units, 0}));
      } else if (weights.quantization.block_size > 0) {
        RunBlockwise(layer);
      } else {
        RunHybrid(layer);
      }
  }
  return {};
}

}  // namespace stowplan::kernels::reference
