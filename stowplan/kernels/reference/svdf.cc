// SPDX-License-Identifier: Apache-2.0
//
// SVDF: a fully connected layer over a window of past inputs, factored into a
// part over features and a part over time. Nakkiran et al., "Compressing Deep
// Neural Networks using a Rank-Constrained Topology", 2015.
#include "stowplan/kernels/reference/recurrent.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/reference/tiled_product.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

struct Layer {
  explicit Layer(const Node& operands)
      : node(operands),
        batches(node.input(0)->shape[0]),
        inputs(node.input(0)->shape[1]),
        filters(node.input(1)->shape[0]),
        memory(node.input(2)->shape[1]),
        rank(node.options.Int("rank", 1)) {}

  // Each filter's past, oldest first; the last place is free for the new.
  template <class T>
  T* Shifted(int64_t batch, int64_t filter) const {
    T* past = node.variable(4)->As<T>() + (batch * filters + filter) * memory;
    std::copy(past + 1, past + memory, past);
    return past;
  }

  const Node& node;
  int64_t batches, inputs, filters, memory, rank;
};

void RunFloats(const Layer& layer) {
  const Node& node = layer.node;
  const FloatRange range = FloatRangeOf(node);
  const Tensor* bias = node.input(3);
  const int64_t units = layer.filters / layer.rank;
  for (int64_t b = 0; b < layer.batches; ++b) {
    const float* input = node.input(0)->As<float>() + b * layer.inputs;
    for (int64_t u = 0; u < units; ++u) {
      float sum = bias == nullptr ? 0.0f : bias->As<float>()[u];
      for (int64_t f = u * layer.rank; f < (u + 1) * layer.rank; ++f) {
        float* past = layer.Shifted<float>(b, f);
        past[layer.memory - 1] = Dot(
            node.input(1)->As<float>() + f * layer.inputs, input, layer.inputs);
        sum += Dot(node.input(2)->As<float>() + f * layer.memory, past,
                   layer.memory);
      }
      node.output().As<float>()[b * units + u] =
          std::clamp(sum, range.min, range.max);
    }
  }
}

int32_t TimeWeight(const Tensor& weights, int64_t i) {
  return weights.type == Type::kInt16 ? int32_t{weights.As<int16_t>()[i]}
                                      : int32_t{weights.As<int8_t>()[i]};
}

int32_t PastAt(const Tensor& state, const std::byte* past, int64_t i) {
  return state.type == Type::kInt16
             ? int32_t{reinterpret_cast<const int16_t*>(past)[i]}
             : int32_t{reinterpret_cast<const int8_t*>(past)[i]};
}

template <class State>
void RunIntegers(const Layer& layer) {
  const Node& node = layer.node;
  const Tensor& state = *node.input(4);
  const Quantization& in = node.input(0)->quantization;
  const Quantization& out = node.output().quantization;
  const FixedPoint feature_scale = ToFixedPoint(
      double{in.scale()} * double{node.input(1)->quantization.scale()} /
      double{state.quantization.scale()});
  const FixedPoint time_scale = ToFixedPoint(
      double{state.quantization.scale()} *
      double{node.input(2)->quantization.scale()} / double{out.scale()});
  const Tensor* bias = node.input(3);
  const int64_t units = layer.filters / layer.rank;
  constexpr int32_t kLow = std::numeric_limits<State>::min();
  constexpr int32_t kHigh = std::numeric_limits<State>::max();
  for (int64_t b = 0; b < layer.batches; ++b) {
    const int8_t* input = node.input(0)->As<int8_t>() + b * layer.inputs;
    for (int64_t u = 0; u < units; ++u) {
      // Sums beyond 32 bits wrap around, as they do in LiteRT.
      int64_t sum = bias == nullptr ? 0 : bias->As<int32_t>()[u];
      for (int64_t f = u * layer.rank; f < (u + 1) * layer.rank; ++f) {
        State* past = layer.Shifted<State>(b, f);
        const int8_t* weights = node.input(1)->As<int8_t>() + f * layer.inputs;
        int32_t feature = 0;
        for (int64_t i = 0; i < layer.inputs; ++i) {
          feature =
              AddWrapped(feature, weights[i] * (input[i] - in.zero_point()));
        }
        past[layer.memory - 1] = static_cast<State>(
            std::clamp(Multiply(feature, feature_scale), kLow, kHigh));
        for (int64_t i = 0; i < layer.memory; ++i) {
          sum += int64_t{TimeWeight(*node.input(2), f * layer.memory + i)} *
                 PastAt(state, reinterpret_cast<const std::byte*>(past), i);
        }
      }
      const int64_t steps = Multiply(static_cast<int32_t>(sum), time_scale);
      node.output().As<int8_t>()[b * units + u] = static_cast<int8_t>(
          std::clamp<int64_t>(steps + out.zero_point(), -128, 127));
    }
  }
}

Status CheckTypes(const Node& node) {
  const int64_t units = node.output().shape.elements() /
                        std::max<int64_t>(node.input(0)->shape[0], 1);
  const Tensor* bias = node.input(3);
  const Tensor& state = *node.input(4);
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, node.output(), {node.input(0)->type}));
  if (node.input(0)->type == Type::kFloat32) {
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(2), {Type::kFloat32}));
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, state, {Type::kFloat32}));
    return CheckBias(node, bias, units);
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(2), {Type::kInt16, Type::kInt8}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, state, {Type::kInt16, Type::kInt8}));
  if (bias == nullptr) return {};
  return CheckNumbers(node, *bias, {Type::kInt32}, units);
}

}  // namespace

Result<Needs> PrepareSvdf(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  if (node.input(4) == nullptr) {
    return Unsupported(node, "the state is missing");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckState(node, *node.input(4)));
  STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0), {Type::kFloat32, Type::kInt8}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(1), {node.input(0)->type}));
  if (node.input(0)->shape.rank != 2 || node.input(1)->shape.rank != 2 ||
      node.input(2)->shape.rank != 2) {
    return Unsupported(node, "an operand is no matrix");
  }
  const Layer layer(node);
  if (layer.rank < 1 || layer.filters % layer.rank != 0 ||
      node.input(4)->shape.elements() !=
          layer.batches * layer.filters * layer.memory) {
    return Unsupported(node, "the state does not match the filters");
  }
  if (node.input(1)->shape[1] != layer.inputs ||
      node.input(2)->shape[0] != layer.filters || layer.memory < 1) {
    return Unsupported(node, "the weights do not match the input");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckElements(
      node, node.output(), layer.batches * (layer.filters / layer.rank)));
  STOWPLAN_RETURN_IF_ERROR(CheckTypes(node));
  return Needs{};
}

Status RunSvdf(const Node& node) {
  const Layer layer(node);
  if (node.input(0)->type == Type::kFloat32) {
    RunFloats(layer);
  } else if (node.input(4)->type == Type::kInt16) {
    RunIntegers<int16_t>(layer);
  } else {
    RunIntegers<int8_t>(layer);
  }
  return {};
}

}  // namespace stowplan::kernels::reference
