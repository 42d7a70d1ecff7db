// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/integer_arithmetic.h"

#include <string_view>

#include "stowplan/kernels/reference/broadcast.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

// What all of these need to know of their operands.
struct Pair {
  explicit Pair(const Node& node)
      : a(node.input(0)->quantization),
        b(node.input(1)->quantization),
        out(node.output().quantization),
        range(ActivationRange(ActivationOf(node), node.output())) {}

  Quantization a;
  Quantization b;
  Quantization out;
  IntRange range;

  int32_t Clamp(int32_t value) const {
    return std::clamp(value + out.zero_point(), range.min, range.max);
  }
  int32_t Round(float value) const {
    const auto low = static_cast<float>(range.min - out.zero_point());
    const auto high = static_cast<float>(range.max - out.zero_point());
    return RoundToEven(std::clamp(value, low, high)) + out.zero_point();
  }
};

template <class Function>
Status MapIntegers(const Node& node, const Function& function) {
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  switch (node.output().type) {
    case Type::kInt8:
      MapPairs<int8_t, int8_t>(a, b, node.output(), function);
      return {};
    case Type::kUInt8:
      MapPairs<uint8_t, uint8_t>(a, b, node.output(), function);
      return {};
    default:
      MapPairs<int16_t, int16_t>(a, b, node.output(), function);
      return {};
  }
}

// Both operands on a common scale with `shift` more bits. As LiteRT's: the
// scale is twice the larger one, so that a sum cannot overflow.
struct CommonScale {
  CommonScale(const Pair& pair, int left_shift)
      : shift(left_shift),
        zero_a(pair.a.zero_point()),
        zero_b(pair.b.zero_point()) {
    const double twice =
        2.0 * std::max(double{pair.a.scale()}, double{pair.b.scale()});
    step = twice;
    a = ToFixedPoint(double{pair.a.scale()} / twice);
    b = ToFixedPoint(double{pair.b.scale()} / twice);
  }

  int32_t A(int32_t x) const {
    return Multiply(ShiftLeft(x - zero_a, shift), a);
  }
  int32_t B(int32_t x) const {
    return Multiply(ShiftLeft(x - zero_b, shift), b);
  }

  int shift;
  int32_t zero_a;
  int32_t zero_b;
  double step;
  FixedPoint a;
  FixedPoint b;
};

}  // namespace

Status AddIntegers(const Node& node, int32_t sign) {
  const Pair pair(node);
  if (node.arithmetic == Arithmetic::kFloat) {
    const float a = pair.a.scale() / pair.out.scale();
    const float b =
        static_cast<float>(sign) * (pair.b.scale() / pair.out.scale());
    return MapIntegers(node, [&](int32_t x, int32_t y) {
      return pair.Round(static_cast<float>(x - pair.a.zero_point()) * a +
                        static_cast<float>(y - pair.b.zero_point()) * b);
    });
  }
  const CommonScale common(pair, node.output().type == Type::kInt16 ? 15 : 20);
  const FixedPoint out = ToFixedPoint(
      common.step / ((1 << common.shift) * double{pair.out.scale()}));
  return MapIntegers(node, [&](int32_t x, int32_t y) {
    return pair.Clamp(Multiply(common.A(x) + sign * common.B(y), out));
  });
}

Status MultiplyIntegers(const Node& node) {
  const Pair pair(node);
  const double factor = double{pair.a.scale()} * double{pair.b.scale()} /
                        double{pair.out.scale()};
  const int32_t zero_a = pair.a.zero_point();
  const int32_t zero_b = pair.b.zero_point();
  if (node.arithmetic == Arithmetic::kFloat) {
    const auto narrow = static_cast<float>(factor);
    return MapIntegers(node, [&](int32_t x, int32_t y) {
      return pair.Round(static_cast<float>((x - zero_a) * (y - zero_b)) *
                        narrow);
    });
  }
  const FixedPoint fixed = ToFixedPoint(factor);
  return MapIntegers(node, [&](int32_t x, int32_t y) {
    return pair.Clamp(Multiply((x - zero_a) * (y - zero_b), fixed));
  });
}

Status DivideIntegers(const Node& node) {
  const Pair pair(node);
  const float factor = pair.a.scale() / (pair.b.scale() * pair.out.scale());
  bool zero = false;
  const Status status = MapIntegers(node, [&](int32_t x, int32_t y) {
    const int32_t divisor = y - pair.b.zero_point();
    zero = zero || divisor == 0;
    if (divisor == 0) return 0;
    return pair.Round(static_cast<float>(x - pair.a.zero_point()) /
                      static_cast<float>(divisor) * factor);
  });
  if (!zero) return status;
  return BadInput(std::string(node.type), "an integer is divided by zero",
                  "check the inputs of the model");
}

Status SquareDifferences(const Node& node) {
  const Pair pair(node);
  const CommonScale common(pair, 7);
  const FixedPoint out =
      ToFixedPoint(common.step * common.step /
                   ((1 << (2 * common.shift)) * double{pair.out.scale()}));
  return MapIntegers(node, [&](int32_t x, int32_t y) {
    // Far apart the square wraps around, as it does in LiteRT.
    const auto difference = static_cast<uint32_t>(common.A(x) - common.B(y));
    return pair.Clamp(
        Multiply(static_cast<int32_t>(difference * difference), out));
  });
}

Status CheckOperator(const Node& node, bool quantized) {
  const Type type = node.output().type;
  const std::string_view name = node.type;
  if (type == Type::kFloat32) return {};
  if (name == "ATAN2") return Unsupported(node, "only floats have code");
  if (quantized) {
    if (name == "POW" || name == "FLOOR_DIV" || name == "FLOOR_MOD") {
      return Unsupported(node, "quantised operands have no code");
    }
    return {};
  }
  const bool moves = name == "MAXIMUM" || name == "MINIMUM";
  if (moves || type == Type::kInt32 ||
      (type == Type::kInt64 && name != "POW")) {
    return {};
  }
  if ((type == Type::kInt16 || type == Type::kUInt32) &&
      (name == "ADD" || name == "SUB" || name == "MUL")) {
    return {};
  }
  return Unsupported(node, "operands of this type have no code");
}

}  // namespace stowplan::kernels::reference
