// SPDX-License-Identifier: Apache-2.0
//
// Operators of two operands that give a value of the same type.
#include <cmath>

#include "stowplan/kernels/reference/broadcast.h"
#include "stowplan/kernels/reference/elementwise.h"
#include "stowplan/kernels/reference/integer_arithmetic.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

// For the types that are no quantised integers.
template <class T, class Function>
void RunTyped(const Node& node, const Function& function) {
  MapPairs<T, T>(*node.input(0), *node.input(1), node.output(), function);
}

template <class Function>
void RunFloat(const Node& node, const Function& function) {
  const FloatRange range = FloatRangeOf(node);
  RunTyped<float>(node, [&](float a, float b) {
    return std::clamp(function(a, b), range.min, range.max);
  });
}

// Without overflow: what does not fit wraps around.
template <class T, class Function>
void RunIntegers(const Node& node, const Function& function) {
  const FloatRange range = ActivationRange(ActivationOf(node));
  const T low = std::isfinite(range.min) ? static_cast<T>(range.min)
                                         : std::numeric_limits<T>::min();
  const T high = std::isfinite(range.max) ? static_cast<T>(range.max)
                                          : std::numeric_limits<T>::max();
  RunTyped<T>(node, [&](T a, T b) {
    return std::clamp(static_cast<T>(function(a, b)), low, high);
  });
}

// `function` must serve floats and unsigned integers (for wrapping).
template <class Function>
Status RunWrapping(const Node& node, const Function& function) {
  switch (node.output().type) {
    case Type::kFloat32:
      RunFloat(node, function);
      return {};
    case Type::kInt64:
      RunIntegers<int64_t>(node, [&](int64_t a, int64_t b) {
        return function(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
      });
      return {};
    case Type::kInt32:
    case Type::kUInt32:
      RunIntegers<int32_t>(node, [&](int32_t a, int32_t b) {
        return function(static_cast<uint32_t>(a), static_cast<uint32_t>(b));
      });
      return {};
    default:
      RunIntegers<int16_t>(node, [&](int16_t a, int16_t b) {
        return function(static_cast<uint32_t>(a), static_cast<uint32_t>(b));
      });
      return {};
  }
}

// `function` must serve floats and all integers, signed.
template <class Function>
Status RunPlain(const Node& node, const Function& function) {
  switch (node.output().type) {
    case Type::kFloat32:
      RunTyped<float>(node, function);
      return {};
    case Type::kInt64:
      RunTyped<int64_t>(node, function);
      return {};
    case Type::kInt32:
      RunTyped<int32_t>(node, function);
      return {};
    case Type::kUInt32:
      RunTyped<uint32_t>(node, function);
      return {};
    case Type::kInt16:
      RunTyped<int16_t>(node, function);
      return {};
    case Type::kInt8:
      RunTyped<int8_t>(node, function);
      return {};
    default:
      RunTyped<uint8_t>(node, function);
      return {};
  }
}

Status DivisionByZero(const Node& node) {
  return BadInput(std::string(node.type), "an integer is divided by zero",
                  "check the inputs of the model");
}

// Integers with a divisor of their own check; `function(a, b)` for b != 0.
template <class T, class Function>
Status RunDivision(const Node& node, const Function& function) {
  bool zero = false;
  RunTyped<T>(node, [&](T a, T b) -> T {
    if (b == 0) {
      zero = true;
      return 0;
    }
    // The one quotient that does not fit wraps around.
    if (b == -1) return function(a, T{1}, true);
    return function(a, b, false);
  });
  return zero ? DivisionByZero(node) : Status();
}

template <class T>
T Negated(T a) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(Unsigned{0} - static_cast<Unsigned>(a));
}

template <class T>
T Quotient(T a, T b, bool negative) {
  return negative ? Negated(a) : static_cast<T>(a / b);
}
template <class T>
T FlooredQuotient(T a, T b, bool negative) {
  if (negative) return Negated(a);
  return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
}
template <class T>
T FlooredRemainder(T a, T b, bool negative) {
  if (negative) return 0;
  const T rest = static_cast<T>(a % b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
}

float FlooredRemainder(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Squaring, as often as the exponent says; negative ones give 0 like a
// division of integers, but for bases of magnitude 1.
int32_t IntegerPower(int32_t base, int32_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint32_t result = 1;
  auto square = static_cast<uint32_t>(base);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result *= square;
    square *= square;
  }
  return static_cast<int32_t>(result);
}

}  // namespace

Result<Needs> PrepareArithmetic(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  const Tensor& output = node.output();
  if (a.type != b.type || a.type != output.type) {
    return Unsupported(node, "the operands differ in type");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, a,
                {Type::kFloat32, Type::kInt32, Type::kInt64, Type::kInt16,
                 Type::kInt8, Type::kUInt8, Type::kUInt32}));
  if (!IsQuantized(a)) {
    STOWPLAN_RETURN_IF_ERROR(CheckOperator(node, false));
  } else if (IsQuantized(b) && IsQuantized(output)) {
    STOWPLAN_RETURN_IF_ERROR(CheckOperator(node, true));
  } else {
    return Unsupported(node, "an operand has no quantisation");
  }
  if (!Stretches(a.shape, output.shape) || !Stretches(b.shape, output.shape)) {
    return Unsupported(node, "the shapes do not match");
  }
  Needs needs;
  needs.in_place = 0b11;
  return needs;
}

Status RunAdd(const Node& node) {
  if (IsQuantized(node.output())) return AddIntegers(node, 1);
  return RunWrapping(node, [](auto a, auto b) { return a + b; });
}

Status RunSub(const Node& node) {
  if (IsQuantized(node.output())) return AddIntegers(node, -1);
  return RunWrapping(node, [](auto a, auto b) { return a - b; });
}

Status RunMul(const Node& node) {
  if (IsQuantized(node.output())) return MultiplyIntegers(node);
  return RunWrapping(node, [](auto a, auto b) { return a * b; });
}

Status RunDiv(const Node& node) {
  switch (node.output().type) {
    case Type::kFloat32:
      RunFloat(node, [](float a, float b) { return a / b; });
      return {};
    case Type::kInt64:
      return RunDivision<int64_t>(node, Quotient<int64_t>);
    case Type::kInt32:
      return RunDivision<int32_t>(node, Quotient<int32_t>);
    default:
      return DivideIntegers(node);
  }
}

Status RunMaximum(const Node& node) {
  return RunPlain(node, [](auto a, auto b) { return a > b ? a : b; });
}

Status RunMinimum(const Node& node) {
  return RunPlain(node, [](auto a, auto b) { return a < b ? a : b; });
}

Status RunSquaredDifference(const Node& node) {
  if (IsQuantized(node.output())) return SquareDifferences(node);
  return RunWrapping(node, [](auto a, auto b) { return (a - b) * (a - b); });
}

Status RunPow(const Node& node) {
  if (node.output().type == Type::kFloat32) {
    RunTyped<float>(node, [](float a, float b) { return std::pow(a, b); });
  } else {
    RunTyped<int32_t>(node, IntegerPower);
  }
  return {};
}

Status RunFloorDiv(const Node& node) {
  switch (node.output().type) {
    case Type::kFloat32:
      RunTyped<float>(node, [](float a, float b) { return std::floor(a / b); });
      return {};
    case Type::kInt64:
      return RunDivision<int64_t>(node, FlooredQuotient<int64_t>);
    default:
      return RunDivision<int32_t>(node, FlooredQuotient<int32_t>);
  }
}

Status RunFloorMod(const Node& node) {
  switch (node.output().type) {
    case Type::kFloat32:
      RunTyped<float>(node,
                      [](float a, float b) { return FlooredRemainder(a, b); });
      return {};
    case Type::kInt64:
      return RunDivision<int64_t>(node, FlooredRemainder<int64_t>);
    default:
      return RunDivision<int32_t>(node, FlooredRemainder<int32_t>);
  }
}

Status RunAtan2(const Node& node) {
  RunTyped<float>(node, [](float a, float b) { return std::atan2(a, b); });
  return {};
}

}  // namespace stowplan::kernels::reference
