// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/normalize.h"

#include <cmath>

#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

// The output's scale is 1/128 whatever the file says.
void NormalizeIntegers(const Node& node) {
  const int32_t zero = node.input(0)->quantization.zero_point();
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const auto* from = node.input(0)->As<int8_t>();
  auto* to = node.output().As<int8_t>();
  for (int64_t r = 0; r < rows; ++r, from += depth, to += depth) {
    int64_t squares = 0;
    for (int64_t i = 0; i < depth; ++i) {
      const int32_t x = from[i] - zero;
      squares += x * x;
    }
    const float inverse =
        128.0f / std::sqrt(std::max(static_cast<float>(squares), 1.0f));
    for (int64_t i = 0; i < depth; ++i) {
      const float steps = static_cast<float>(from[i] - zero) * inverse;
      to[i] = static_cast<int8_t>(
          std::clamp(static_cast<int32_t>(std::round(steps)), -128, 127));
    }
  }
}

void NormalizeFloats(const Node& node) {
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const float* from = node.input(0)->As<float>();
  float* to = node.output().As<float>();
  for (int64_t r = 0; r < rows; ++r, from += depth, to += depth) {
    float squares = 0.0f;
    for (int64_t i = 0; i < depth; ++i) squares += from[i] * from[i];
    const float norm = std::max(std::sqrt(squares), 1e-6f);
    for (int64_t i = 0; i < depth; ++i) to[i] = from[i] / norm;
  }
}

// The sums along one axis; an element is read before its sum is written.
template <class T>
void SumAlong(const Node& node, size_t axis) {
  const Shape& shape = node.output().shape;
  const bool exclusive = node.options.Flag("exclusive");
  const bool reverse = node.options.Flag("reverse");
  const int64_t size = shape[axis];
  const int64_t inner = shape.Product(axis + 1, shape.rank);
  const int64_t outer = shape.Product(0, axis);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t base = o * size * inner + i;
      T sum = 0;
      for (int64_t k = 0; k < size; ++k) {
        const int64_t at = base + (reverse ? size - 1 - k : k) * inner;
        const T value = node.input(0)->As<T>()[at];
        const T with = AddWrapped(sum, value);
        node.output().As<T>()[at] = exclusive ? sum : with;
        sum = with;
      }
    }
  }
}

}  // namespace

Result<Needs> PrepareL2Normalization(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0), {Type::kFloat32, Type::kInt8}));
  if (node.output().type != node.input(0)->type ||
      ActivationOf(node) != "NONE") {
    return Unsupported(node, "these types have no code");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunL2Normalization(const Node& node) {
  if (node.input(0)->type == Type::kInt8) {
    NormalizeIntegers(node);
  } else {
    NormalizeFloats(node);
  }
  return {};
}

Result<Needs> PrepareLocalResponse(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kFloat32}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(), {Type::kFloat32}));
  const int64_t radius = node.options.Int("radius", 5);
  if (radius < 0 || radius > INT32_MAX) {
    return Unsupported(node, "the radius makes no sense");
  }
  return Needs{};
}

// Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural
// Networks", section 3.3.
Status RunLocalResponse(const Node& node) {
  const int64_t radius = node.options.Int("radius", 5);
  const float bias = node.options.Float("bias", 1.0f);
  const float alpha = node.options.Float("alpha", 1.0f);
  const float beta = node.options.Float("beta", 0.5f);
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const float* from = node.input(0)->As<float>();
  float* to = node.output().As<float>();
  for (int64_t r = 0; r < rows; ++r, from += depth, to += depth) {
    for (int64_t c = 0; c < depth; ++c) {
      const int64_t begin = std::max<int64_t>(0, c - radius);
      const int64_t end = std::min(depth, c + radius + 1);
      float squares = 0.0f;
      for (int64_t i = begin; i < end; ++i) squares += from[i] * from[i];
      to[c] = from[c] * std::pow(bias + alpha * squares, -beta);
    }
  }
  return {};
}

Result<Needs> PrepareCumsum(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, *node.input(0), {Type::kFloat32, Type::kInt32, Type::kInt64}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(1), {Type::kInt32, Type::kInt64}, 1));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, node.output(), {node.input(0)->type}));
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunCumsum(const Node& node) {
  const size_t rank = node.output().shape.rank;
  const size_t axis = AxisOf(IntegerAt(*node.input(1), 0), rank);
  if (axis >= rank) {
    return BadInput("CUMSUM", "the axis is outside of the input",
                    "use an axis within the rank");
  }
  switch (node.input(0)->type) {
    case Type::kInt32:
      SumAlong<int32_t>(node, axis);
      break;
    case Type::kInt64:
      SumAlong<int64_t>(node, axis);
      break;
    default:
      SumAlong<float>(node, axis);
  }
  return {};
}

}  // namespace stowplan::kernels::reference
