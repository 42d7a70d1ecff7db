// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/integer_arithmetic.h"

#include <string_view>

#include "stowplan/kernels/reference/broadcast.h"
#include "stowplan/kernels/reference/fixed_point16.h"
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
    // Bounded first: the sum of any number and a zero point might not fit.
    return std::clamp(value, range.min - out.zero_point(),
                      range.max - out.zero_point()) +
           out.zero_point();
  }
  int32_t Round(float value) const {
    const auto low = static_cast<float>(range.min - out.zero_point());
    const auto high = static_cast<float>(range.max - out.zero_point());
    return RoundToEven(Bounded(value, low, high)) + out.zero_point();
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
  // How an operand is rounded: LiteRT's scalar code shifts after it
  // multiplies, ties away from zero; vector code shifts before, or down.
  enum class Form : uint8_t { kScalar, kShiftFirst, kShiftDown };

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

  int32_t A(int32_t x, Form form = Form::kScalar) const {
    return Scaled(x - zero_a, a, form);
  }
  int32_t B(int32_t x, Form form = Form::kScalar) const {
    return Scaled(x - zero_b, b, form);
  }

  // REQUIRES: factor.shift <= 0, as both have.
  int32_t Scaled(int32_t x, FixedPoint factor, Form form) const {
    if (form == Form::kShiftFirst && shift + factor.shift >= 0) {
      return HighMultiply(ShiftLeft(x, shift + factor.shift),
                          factor.multiplier);
    }
    const int32_t wide = ShiftLeft(x, shift);
    if (form == Form::kShiftDown) {
      return HighMultiply(wide, factor.multiplier) >> -factor.shift;
    }
    return Multiply(wide, factor);
  }

  int shift;
  int32_t zero_a;
  int32_t zero_b;
  double step;
  FixedPoint a;
  FixedPoint b;
};

// One row of a sum: which of its elements vector code takes, and how.
struct AddForm {
  using Form = CommonScale::Form;

  AddForm(const Node& node, int64_t count, bool stretched) {
    const Type type = node.output().type;
    if (node.type != "ADD") return;
    if (type == Type::kInt16) {
      // Vector code only where nothing is stretched at all.
      if (count == node.output().shape.elements() && !stretched) {
        Set(Form::kShiftFirst, count / 16 * 16);
      }
    } else if (type == Type::kUInt8 || stretched) {
      Set(Form::kShiftDown, count / 8 * 8);
    } else {
      Set(Form::kShiftFirst, count / 16 * 16);
    }
  }
  void Set(Form of_vectors, int64_t elements) {
    form = of_vectors;
    vectors = elements;
  }
  Form At(int64_t i) const { return i < vectors ? form : Form::kScalar; }

  Form form = Form::kScalar;
  int64_t vectors = 0;
};

// out = function(a, b, form), with the form that LiteRT has for an element.
template <class T, class Function>
void MapRows(const Node& node, const Function& function) {
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  const Broadcast<2> walk(node.output().shape, {&a.shape, &b.shape});
  walk.ForEachRow([&](int64_t first, int64_t count,
                      const std::array<int64_t, 2>& offsets,
                      const std::array<int64_t, 2>& strides) {
    const AddForm form(node, count, strides[0] == 0 || strides[1] == 0);
    T* to = node.output().As<T>() + first;
    const T* x = a.As<T>() + offsets[0];
    const T* y = b.As<T>() + offsets[1];
    for (int64_t i = 0; i < count; ++i) {
      to[i] = static_cast<T>(
          function(x[i * strides[0]], y[i * strides[1]], form.At(i)));
    }
  });
}

// Scales that are powers of two have code of their own, if the model asks for
// it: one operand is shifted to the output's steps, the sum saturates.
bool IsPowerSum(const Node& node, const Pair& pair) {
  return node.output().type == Type::kInt16 &&
         node.options.Flag("pot_scale_int16", true) &&
         ExponentOf(pair.a.scale()) != 0 && ExponentOf(pair.b.scale()) != 0 &&
         ExponentOf(pair.out.scale()) != 0;
}

Status AddPowers(const Node& node, const Pair& pair, int32_t sign) {
  const int out = ExponentOf(pair.out.scale());
  const int shift_a = out - ExponentOf(pair.a.scale());
  const int shift_b = out - ExponentOf(pair.b.scale());
  if (shift_a < 0 || shift_b < 0 || (shift_a != 0 && shift_b != 0)) {
    return BadInput(std::string(node.type),
                    "no operand has the steps of the output",
                    "convert the model with scales that are not powers of two");
  }
  return MapIntegers(node, [&](int32_t x, int32_t y) {
    const int32_t sum =
        DivideByPowerOfTwo(x, shift_a) + sign * DivideByPowerOfTwo(y, shift_b);
    return std::clamp<int32_t>(Saturate16(sum), pair.range.min, pair.range.max);
  });
}

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
  if (IsPowerSum(node, pair)) return AddPowers(node, pair, sign);
  const CommonScale common(pair, node.output().type == Type::kInt16 ? 15 : 20);
  const FixedPoint out = ToFixedPoint(
      common.step / ((1 << common.shift) * double{pair.out.scale()}));
  const auto add = [&](int32_t x, int32_t y, CommonScale::Form form) {
    return pair.Clamp(Multiply(
        AddWrapped(common.A(x, form), MultiplyWrapped(sign, common.B(y, form))),
        out));
  };
  switch (node.output().type) {
    case Type::kInt8:
      MapRows<int8_t>(node, add);
      return {};
    case Type::kUInt8:
      MapRows<uint8_t>(node, add);
      return {};
    default:
      MapRows<int16_t>(node, add);
      return {};
  }
}

Status MultiplyIntegers(const Node& node) {
  const Pair pair(node);
  const double factor =
      double{pair.a.scale() * pair.b.scale() / pair.out.scale()};
  const int32_t zero_a = pair.a.zero_point();
  const int32_t zero_b = pair.b.zero_point();
  const auto product = [&](int32_t x, int32_t y) {
    return MultiplyWrapped(x - zero_a, y - zero_b);
  };
  if (node.arithmetic == Arithmetic::kFloat) {
    const auto narrow = static_cast<float>(factor);
    return MapIntegers(node, [&](int32_t x, int32_t y) {
      return pair.Round(static_cast<float>(product(x, y)) * narrow);
    });
  }
  const FixedPoint fixed = ToFixedPoint(factor);
  return MapIntegers(node, [&](int32_t x, int32_t y) {
    return pair.Clamp(Multiply(product(x, y), fixed));
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
    const uint32_t difference =
        static_cast<uint32_t>(common.A(x)) - static_cast<uint32_t>(common.B(y));
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
