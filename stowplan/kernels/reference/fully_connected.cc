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

// Weights with a scale for each block: rows of activations are quantised, sums
// of a block are integers, sums of blocks floats in the order of the blocks.
class Blockwise {
 public:
  explicit Blockwise(const Layer& layer)
      : layer_(layer),
        integers_(layer.weights, layer.depth),
        size_(layer.weights.quantization.block_size),
        blocks_(layer.depth / size_),
        stored_(reinterpret_cast<int16_t*>(layer.node.scratch)) {}

  // Room for a tile of quantised rows.
  static Bytes ScratchOf(int64_t rows, int64_t depth) {
    return std::min(rows, kTileRows) * depth *
           static_cast<Bytes>(sizeof(int16_t));
  }

  void All() {
    for (int64_t row = 0; row < layer_.rows; row += kTileRows) {
      const int64_t count = std::min(kTileRows, layer_.rows - row);
      for (int64_t r = 0; r < count; ++r) Quantize(row + r, r);
      for (int64_t u = 0; u < layer_.units; ++u) Unit(u, row, count);
    }
  }

 private:
  void Quantize(int64_t row, int64_t at) {
    const float* values = layer_.input.As<float>() + row * layer_.depth;
    scales_[at] = AsymmetricScale(values, layer_.depth);
    int16_t* to = stored_ + at * layer_.depth;
    for (int64_t k = 0; k < layer_.depth; ++k) {
      to[k] = static_cast<int16_t>(scales_[at].Quantize(values[k]) +
                                   scales_[at].offset);
    }
  }

  void Unit(int64_t unit, int64_t row, int64_t count) const {
    float sums[kTileRows] = {};
    float of_weights = 0;  // What the zero points are multiplied by.
    for (int64_t block = 0; block < blocks_; ++block) {
      const auto at = static_cast<size_t>(unit * blocks_ + block);
      const float scale = FromHalf(layer_.weights.quantization.half_scales[at]);
      of_weights += scale * static_cast<float>(Block(unit, block, count));
      for (int64_t r = 0; r < count; ++r) {
        sums[r] += static_cast<float>(products_[r]) * scale;
      }
    }
    const float bias =
        layer_.bias == nullptr ? 0.0f : layer_.bias->As<float>()[unit];
    const FloatRange range = FloatRangeOf(layer_.node);
    float* out = layer_.node.output().As<float>() + row * layer_.units + unit;
    for (int64_t r = 0; r < count; ++r) {
      sums[r] -= static_cast<float>(scales_[r].offset) * of_weights;
      sums[r] *= scales_[r].scale;
      out[r * layer_.units] = std::clamp(sums[r] + bias, range.min, range.max);
    }
  }

  // The sum of a block's weights; their products with the rows in products_.
  int32_t Block(int64_t unit, int64_t block, int64_t count) const {
    int16_t buffer[kTileDepth];
    int32_t sum = 0;
    std::fill_n(products_, count, 0);
    const int64_t end = (block + 1) * size_;
    for (int64_t k = block * size_; k < end; k += kTileDepth) {
      const int64_t stop = std::min(k + kTileDepth, end);
      const int16_t* weights = integers_(unit, k, stop, buffer);
      for (int64_t i = 0; i < stop - k; ++i) sum += weights[i];
      for (int64_t r = 0; r < count; ++r) {
        products_[r] += Dot(stored_ + r * layer_.depth + k, weights, stop - k);
      }
    }
    return sum;
  }

  const Layer& layer_;
  IntegerRows integers_;
  int64_t size_;
  int64_t blocks_;
  int16_t* stored_;
  RowScale scales_[kTileRows];
  mutable int32_t products_[kTileRows] = {};
};

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
  Needs needs;
  if (weights.quantization.block_size > 0) {
    needs.scratch = Blockwise::ScratchOf(
        node.input(0)->shape.elements() / weights.shape[1], weights.shape[1]);
  }
  return needs;
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
        Blockwise(layer).All();
      } else {
        RunHybrid(layer);
      }
  }
  return {};
}

}  // namespace stowplan::kernels::reference
