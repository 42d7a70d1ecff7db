// SPDX-License-Identifier: Apache-2.0
//
// PRELU: a slope of its own for each element below zero, stretched to the
// input's shape.
#include "stowplan/kernels/reference/broadcast.h"
#include "stowplan/kernels/reference/elementwise.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

template <class T>
void RunInteger(const Node& node) {
  const Quantization& in = node.input(0)->quantization;
  const Quantization& slope = node.input(1)->quantization;
  const Quantization& out = node.output().quantization;
  const IntRange range = LimitsOf(node.output().type);
  const double same = double{in.scale() / out.scale()};
  const FixedPoint above = ToFixedPoint(same);
  const FixedPoint below =
      ToFixedPoint(double{in.scale() * slope.scale() / out.scale()});
  MapPairs<T, T>(*node.input(0), *node.input(1), node.output(),
                 [&](int32_t x, int32_t alpha) {
                   x -= in.zero_point();
                   alpha -= slope.zero_point();
                   const int32_t y =
                       x >= 0 ? Multiply(x, above) : Multiply(x * alpha, below);
                   const int32_t zero = out.zero_point();
                   return std::clamp(y, range.min - zero, range.max - zero) +
                          zero;
                 });
}

}  // namespace

Result<Needs> PreparePrelu(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, *node.input(0), {Type::kFloat32, Type::kInt8, Type::kUInt8}));
  if (node.input(1)->type != node.input(0)->type ||
      node.output().type != node.input(0)->type) {
    return Unsupported(node, "the operands differ in type");
  }
  if (node.input(0)->type != Type::kFloat32 &&
      (!IsQuantized(*node.input(0)) || !IsQuantized(*node.input(1)) ||
       !IsQuantized(node.output()))) {
    return Unsupported(node, "an operand has no quantisation");
  }
  if (!Stretches(node.input(0)->shape, node.output().shape) ||
      !Stretches(node.input(1)->shape, node.output().shape)) {
    return Unsupported(node, "the shapes do not match");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunPrelu(const Node& node) {
  switch (node.input(0)->type) {
    case Type::kInt8:
      RunInteger<int8_t>(node);
      break;
    case Type::kUInt8:
      RunInteger<uint8_t>(node);
      break;
    default:
      MapPairs<float, float>(
          *node.input(0), *node.input(1), node.output(),
          [](float x, float alpha) { return x >= 0.0f ? x : x * alpha; });
  }
  return {};
}

}  // namespace stowplan::kernels::reference
