// SPDX-License-Identifier: Apache-2.0
//
// SOFTMAX and LOG_SOFTMAX. Every row is read to its end before the first
// element of it is written for good, so the output may lie on the input.
#include <array>
#include <cmath>

#include "stowplan/kernels/reference/normalize.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/reference/wide_softmax.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

void SoftmaxFloats(const Node& node) {
  const float beta = node.options.Float("beta", 1.0f);
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const float* from = node.input(0)->As<float>();
  float* to = node.output().As<float>();
  for (int64_t r = 0; r < rows; ++r, from += depth, to += depth) {
    const float max = *std::max_element(from, from + depth);
    float sum = 0.0f;
    for (int64_t i = 0; i < depth; ++i) {
      to[i] = std::exp((from[i] - max) * beta);
      sum += to[i];
    }
    const float inverse = 1.0f / sum;
    for (int64_t i = 0; i < depth; ++i) to[i] *= inverse;
  }
}

// exp(-distance * scale * beta) for each distance from the row's maximum.
using Exponentials = std::array<float, 256>;

Exponentials ExponentialsOf(float scale, float beta) {
  Exponentials table;
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = std::exp(-scale * beta * static_cast<float>(i));
  }
  return table;
}

template <class In, class Out>
void SoftmaxIntegers(const Node& node) {
  const Quantization& out = node.output().quantization;
  const Exponentials table = ExponentialsOf(node.input(0)->quantization.scale(),
                                            node.options.Float("beta", 1.0f));
  const IntRange range = LimitsOf(node.output().type);
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const In* from = node.input(0)->As<In>();
  Out* to = node.output().As<Out>();
  for (int64_t r = 0; r < rows; ++r, from += depth, to += depth) {
    const int32_t max = *std::max_element(from, from + depth);
    float sum = 0.0f;
    for (int64_t i = 0; i < depth; ++i) {
      sum += table[static_cast<size_t>(max - from[i])];
    }
    const float inverse = 1.0f / (sum * out.scale());
    for (int64_t i = 0; i < depth; ++i) {
      const float share = table[static_cast<size_t>(max - from[i])] * inverse;
      const int32_t steps =
          static_cast<int32_t>(Bounded(share + 0.5f, -1e6f, 1e6f)) +
          out.zero_point();
      to[i] = static_cast<Out>(std::clamp(steps, range.min, range.max));
    }
  }
}

void LogSoftmaxFloats(const Node& node) {
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const float* from = node.input(0)->As<float>();
  float* to = node.output().As<float>();
  for (int64_t r = 0; r < rows; ++r, from += depth, to += depth) {
    const float max = *std::max_element(from, from + depth);
    float sum = 0.0f;
    for (int64_t i = 0; i < depth; ++i) sum += std::exp(from[i] - max);
    const float log_sum = std::log(sum);
    for (int64_t i = 0; i < depth; ++i) to[i] = from[i] - max - log_sum;
  }
}

template <class T>
void LogSoftmaxIntegers(const Node& node) {
  const float scale = node.input(0)->quantization.scale();
  const Quantization& out = node.output().quantization;
  const Exponentials table = ExponentialsOf(scale, 1.0f);
  const IntRange range = LimitsOf(node.output().type);
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const T* from = node.input(0)->As<T>();
  T* to = node.output().As<T>();
  for (int64_t r = 0; r < rows; ++r, from += depth, to += depth) {
    const int32_t max = *std::max_element(from, from + depth);
    float sum = 0.0f;
    for (int64_t i = 0; i < depth; ++i) {
      sum += table[static_cast<size_t>(max - from[i])];
    }
    const float log_sum = std::log(sum);
    for (int64_t i = 0; i < depth; ++i) {
      const float value = scale * static_cast<float>(from[i] - max) - log_sum;
      const int32_t steps = static_cast<int32_t>(Bounded(
                                std::round(value / out.scale()), -1e6f, 1e6f)) +
                            out.zero_point();
      to[i] = static_cast<T>(std::clamp(steps, range.min, range.max));
    }
  }
}

}  // namespace

Result<Needs> PrepareSoftmax(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  const Type in = node.input(0)->type;
  const Type out = node.output().type;
  const bool has_code =
      (in == out && IsOneOf(in, {Type::kFloat32, Type::kInt8, Type::kUInt8,
                                 Type::kInt16})) ||
      (out == Type::kInt16 && IsOneOf(in, {Type::kInt8, Type::kUInt8}));
  if (!has_code) return Unsupported(node, "these types have no code");
  if (in != Type::kFloat32 &&
      (!IsQuantized(*node.input(0)) || !IsQuantized(node.output()))) {
    return Unsupported(node, "an operand has no quantisation");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunSoftmax(const Node& node) {
  const bool wide = node.output().type == Type::kInt16;
  switch (node.input(0)->type) {
    case Type::kInt8:
      wide ? SoftmaxIntegers<int8_t, int16_t>(node)
           : SoftmaxIntegers<int8_t, int8_t>(node);
      break;
    case Type::kUInt8:
      wide ? SoftmaxIntegers<uint8_t, int16_t>(node)
           : SoftmaxIntegers<uint8_t, uint8_t>(node);
      break;
    case Type::kInt16:
      WideSoftmax(node);
      break;
    default:
      SoftmaxFloats(node);
  }
  return {};
}

Result<Needs> PrepareLogSoftmax(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, *node.input(0), {Type::kFloat32, Type::kInt8, Type::kUInt8}));
  if (node.output().type != node.input(0)->type) {
    return Unsupported(node, "input and output differ in type");
  }
  if (node.output().type != Type::kFloat32 &&
      (!IsQuantized(*node.input(0)) || !IsQuantized(node.output()))) {
    return Unsupported(node, "an operand has no quantisation");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunLogSoftmax(const Node& node) {
  switch (node.input(0)->type) {
    case Type::kInt8:
      LogSoftmaxIntegers<int8_t>(node);
      break;
    case Type::kUInt8:
      LogSoftmaxIntegers<uint8_t>(node);
      break;
    default:
      LogSoftmaxFloats(node);
  }
  return {};
}

}  // namespace stowplan::kernels::reference
