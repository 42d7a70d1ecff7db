// SPDX-License-Identifier: Apache-2.0
//
// Comparisons and logic: results of bool.
#include "stowplan/kernels/reference/broadcast.h"
#include "stowplan/kernels/reference/elementwise.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

// LiteRT brings both operands of 8 bits to steps of 1/256 in fixed point first,
// where values that are close become equal. It refuses to say what happens at
// scales from 1 on.
template <class T, class Function>
void CompareRounded(const Node& node, const Function& function) {
  constexpr int kShift = 8;
  const Quantization& a = node.input(0)->quantization;
  const Quantization& b = node.input(1)->quantization;
  const FixedPoint scale_a = ToFixedPoint(double{a.scale()});
  const FixedPoint scale_b = ToFixedPoint(double{b.scale()});
  MapPairs<T, bool>(
      *node.input(0), *node.input(1), node.output(), [&](int32_t x, int32_t y) {
        return function(
            Multiply(ShiftLeft(x - a.zero_point(), kShift), scale_a),
            Multiply(ShiftLeft(y - b.zero_point(), kShift), scale_b));
      });
}

// Quantised operands compare as the values that they stand for; with the same
// scale that is the order of the stored numbers. LiteRT compares stored numbers
// of 16 bits whatever their scales.
template <class T, class Function>
void CompareIntegers(const Node& node, const Function& function) {
  const Quantization& a = node.input(0)->quantization;
  const Quantization& b = node.input(1)->quantization;
  const bool as_litert = node.arithmetic == Arithmetic::kLiteRt;
  if (as_litert && sizeof(T) == 1 && a.scale() > 0 && a.scale() < 1 &&
      b.scale() > 0 && b.scale() < 1) {
    CompareRounded<T>(node, function);
    return;
  }
  const bool stored = as_litert && sizeof(T) == 2;
  if (stored || (a.scale() == b.scale() && a.zero_point() == b.zero_point())) {
    MapPairs<T, bool>(*node.input(0), *node.input(1), node.output(), function);
    return;
  }
  MapPairs<T, bool>(
      *node.input(0), *node.input(1), node.output(), [&](int32_t x, int32_t y) {
        return function(static_cast<float>(x - a.zero_point()) * a.scale(),
                        static_cast<float>(y - b.zero_point()) * b.scale());
      });
}

template <class Function>
Status Compare(const Node& node, const Function& function) {
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  switch (a.type) {
    case Type::kFloat32:
      MapPairs<float, bool>(a, b, node.output(), function);
      return {};
    case Type::kInt32:
      MapPairs<int32_t, bool>(a, b, node.output(), function);
      return {};
    case Type::kInt64:
      MapPairs<int64_t, bool>(a, b, node.output(), function);
      return {};
    case Type::kInt16:
      CompareIntegers<int16_t>(node, function);
      return {};
    case Type::kInt8:
      CompareIntegers<int8_t>(node, function);
      return {};
    default:
      CompareIntegers<uint8_t>(node, function);
      return {};
  }
}

Result<Needs> PrepareResult(const Node& node) {
  const Tensor& output = node.output();
  if (output.type != Type::kBool) {
    return Unsupported(node, "the output is not bool");
  }
  if (!Stretches(node.input(0)->shape, output.shape) ||
      !Stretches(node.input(1)->shape, output.shape)) {
    return Unsupported(node, "the shapes do not match");
  }
  Needs needs;
  needs.in_place = 0b11;
  return needs;
}

}  // namespace

Result<Needs> PrepareCompare(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0),
                {Type::kFloat32, Type::kInt32, Type::kInt64, Type::kInt16,
                 Type::kInt8, Type::kUInt8, Type::kBool}));
  if (node.input(0)->type != node.input(1)->type) {
    return Unsupported(node, "the operands differ in type");
  }
  return PrepareResult(node);
}

Status RunEqual(const Node& node) {
  return Compare(node, [](auto a, auto b) { return a == b; });
}
Status RunNotEqual(const Node& node) {
  return Compare(node, [](auto a, auto b) { return a != b; });
}
Status RunLess(const Node& node) {
  return Compare(node, [](auto a, auto b) { return a < b; });
}
Status RunLessEqual(const Node& node) {
  return Compare(node, [](auto a, auto b) { return a <= b; });
}
Status RunGreater(const Node& node) {
  return Compare(node, [](auto a, auto b) { return a > b; });
}
Status RunGreaterEqual(const Node& node) {
  return Compare(node, [](auto a, auto b) { return a >= b; });
}

Result<Needs> PrepareLogical(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kBool}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(1), {Type::kBool}));
  return PrepareResult(node);
}

Status RunLogicalAnd(const Node& node) {
  MapPairs<bool, bool>(*node.input(0), *node.input(1), node.output(),
                       [](bool a, bool b) { return a && b; });
  return {};
}

Status RunLogicalOr(const Node& node) {
  MapPairs<bool, bool>(*node.input(0), *node.input(1), node.output(),
                       [](bool a, bool b) { return a || b; });
  return {};
}

Result<Needs> PrepareLogicalNot(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kBool}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(), {Type::kBool}));
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunLogicalNot(const Node& node) {
  const auto* from = node.input(0)->As<bool>();
  auto* to = node.output().As<bool>();
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) to[i] = !from[i];
  return {};
}

Result<Needs> PrepareBitwise(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, *node.input(0),
      {Type::kInt32, Type::kInt16, Type::kInt8, Type::kUInt8, Type::kUInt32}));
  if (node.input(0)->type != node.input(1)->type ||
      node.output().type != node.input(0)->type ||
      !Stretches(node.input(0)->shape, node.output().shape) ||
      !Stretches(node.input(1)->shape, node.output().shape)) {
    return Unsupported(node, "the operands do not match");
  }
  Needs needs;
  needs.in_place = 0b11;
  return needs;
}

namespace {

template <class Function>
Status MapBits(const Node& node, const Function& function) {
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  switch (a.type) {
    case Type::kInt32:
      MapPairs<int32_t, int32_t>(a, b, node.output(), function);
      return {};
    case Type::kUInt32:
      MapPairs<uint32_t, uint32_t>(a, b, node.output(), function);
      return {};
    case Type::kInt16:
      MapPairs<int16_t, int16_t>(a, b, node.output(), function);
      return {};
    case Type::kInt8:
      MapPairs<int8_t, int8_t>(a, b, node.output(), function);
      return {};
    default:
      MapPairs<uint8_t, uint8_t>(a, b, node.output(), function);
      return {};
  }
}

}  // namespace

Status RunBitwiseXor(const Node& node) {
  return MapBits(node, [](auto a, auto b) { return a ^ b; });
}

Status RunRightShift(const Node& node) {
  // Shifts by less than nothing or by more than there are bits shift by none
  // or by all but one.
  return MapBits(node, [](auto a, auto b) {
    const auto most = static_cast<int64_t>(sizeof(a) * 8 - 1);
    const int64_t by = std::clamp<int64_t>(static_cast<int64_t>(b), 0, most);
    return a >> by;
  });
}

}  // namespace stowplan::kernels::reference
