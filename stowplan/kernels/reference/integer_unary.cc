// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/integer_unary.h"

#include <string_view>

#include "stowplan/kernels/reference/fixed_point16.h"
#include "stowplan/kernels/reference/sigmoid_table.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

template <class T, class Function>
void MapValues(const Node& node, const Function& function) {
  const T* from = node.input(0)->As<T>();
  T* to = node.output().As<T>();
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) to[i] = static_cast<T>(function(from[i]));
}

template <class Function>
Status MapIntegers(const Node& node, const Function& function) {
  switch (node.output().type) {
    case Type::kInt8:
      MapValues<int8_t>(node, function);
      return {};
    case Type::kUInt8:
      MapValues<uint8_t>(node, function);
      return {};
    default:
      MapValues<int16_t>(node, function);
      return {};
  }
}

// `steps` from the output's zero point on, within `range`. Bounded first: the
// sum of any number and a zero point might not fit.
int32_t Placed(int32_t steps, const Quantization& out, const IntRange& range) {
  const int32_t zero = out.zero_point();
  return std::clamp(steps, range.min - zero, range.max - zero) + zero;
}

Status RunRelu(const Node& node) {
  const Quantization& in = node.input(0)->quantization;
  const Quantization& out = node.output().quantization;
  std::string_view activation = node.type;
  IntRange range = ActivationRange(activation, node.output());
  if (activation == "RELU_0_TO_1") {
    range = ActivationRange("RELU", node.output());
    const float one = Bounded(std::round(1.0f / out.scale()), -1e6f, 1e6f);
    range.max =
        std::min(range.max, out.zero_point() + static_cast<int32_t>(one));
  }
  const FixedPoint factor = ToFixedPoint(double{in.scale() / out.scale()});
  return MapIntegers(node, [&](int32_t x) {
    return Placed(Multiply(x - in.zero_point(), factor), out, range);
  });
}

Status RunLeakyRelu(const Node& node) {
  const Quantization& in = node.input(0)->quantization;
  const Quantization& out = node.output().quantization;
  const IntRange range = LimitsOf(node.output().type);
  const double same = double{in.scale() / out.scale()};
  const float alpha = node.options.Float("alpha", 0.0f);
  const FixedPoint identity = ToFixedPoint(same);
  const FixedPoint leak =
      ToFixedPoint(double{in.scale() * alpha / out.scale()});
  return MapIntegers(node, [&](int32_t x) {
    x -= in.zero_point();
    const int32_t y = Multiply(x, x >= 0 ? identity : leak);
    return Placed(y, out, range);
  });
}

Status RunAbs(const Node& node) {
  const Quantization& in = node.input(0)->quantization;
  const Quantization& out = node.output().quantization;
  const IntRange range = LimitsOf(node.output().type);
  const bool same = in.scale() == out.scale();
  const FixedPoint factor = ToFixedPoint(double{in.scale() / out.scale()});
  return MapIntegers(node, [&](int32_t x) {
    const int32_t size = std::abs(x - in.zero_point());
    const int32_t y = same ? size : Multiply(size, factor);
    return Placed(y, out, range);
  });
}

int16_t HighMultiplyDown16(int16_t a, int16_t b) {
  if (a == b && a == INT16_MIN) return INT16_MAX;
  return static_cast<int16_t>(int32_t{a} * b / (1 << 15));
}

struct Narrow {
  int16_t multiplier = 0;
  int32_t shift = 0;
};
Narrow ToNarrow(double factor) {
  const FixedPoint fixed = ToFixedPoint(factor);
  if (fixed.multiplier >= INT32_MAX - (1 << 15))
    return {INT16_MAX, fixed.shift};
  return {static_cast<int16_t>((fixed.multiplier + (1 << 15)) >> 16),
          fixed.shift};
}

// x * clamp(x / 3, -1, 1) rescaled from [-1, 1] to [0, 1], in 16 bits: Howard
// et al., "Searching for MobileNetV3", section 5.2, in LiteRT's arithmetic.
Status RunHardSwish(const Node& node) {
  const Quantization& in = node.input(0)->quantization;
  const Quantization& out = node.output().quantization;
  const IntRange range = LimitsOf(node.output().type);
  const float fine = in.scale() * (1.0f / 128.0f);
  const Narrow scale = ToNarrow(double{fine / out.scale()});
  const Narrow third = ToNarrow(double{fine / (3.0f / 32768.0f)});
  return MapIntegers(node, [&](int32_t x) {
    const auto value =
        static_cast<int16_t>(MultiplyWrapped(x - in.zero_point(), 1 << 7));
    const int16_t scaled = HighMultiply16(value, scale.multiplier);
    int16_t gate = value;
    if (third.shift > 0) {
      gate = Saturate16(ShiftLeft(gate, third.shift - 1));
    }
    gate = HighMultiply16(gate, third.multiplier);
    if (third.shift > 0) gate = Saturate16(ShiftLeft(gate, 1));
    if (third.shift < 0) {
      gate = static_cast<int16_t>(DivideByPowerOfTwo(gate, -third.shift));
    }
    gate = static_cast<int16_t>((gate + (1 << 15)) >> 1);
    const int16_t product = HighMultiplyDown16(gate, scaled);
    const int32_t y = DivideByPowerOfTwo(product, std::max(0, -scale.shift));
    return Placed(y, out, range);
  });
}

// Brings an input of 16 bits to steps of 1 / (3 * 4096).
struct TableScale {
  explicit TableScale(float scale) {
    double factor = double{scale} * 4096.0 * 3.0;
    while (factor <= 32767.0 / 2.0 && shift <= 30) {
      ++shift;
      factor *= 2.0;
    }
    multiplier = ToInt32(factor);
  }

  int32_t Apply(int16_t x) const {
    const int32_t round = shift > 0 ? 1 << (shift - 1) : 0;
    return AddWrapped(MultiplyWrapped(int32_t{x}, multiplier), round) >> shift;
  }

  int32_t multiplier = 0;
  int32_t shift = 0;
};

// Between the entries of the table; `bits` of `x` lie below its index.
uint32_t Interpolate(uint32_t x, int bits) {
  const uint32_t index = x >> bits;
  if (index >= 255)
    return bits == 9 ? uint32_t{0x7FFF} << 10 : uint32_t{0xFFFF} << 8;
  const uint32_t low = SigmoidTable()[index];
  const uint32_t high = SigmoidTable()[index + 1];
  const uint32_t rest = x & ((uint32_t{1} << bits) - 1);
  return (low << bits) + rest * (high - low);
}

// Of the lowest integer too.
uint32_t MagnitudeOf(int32_t x) {
  return x < 0 ? uint32_t{0} - static_cast<uint32_t>(x)
               : static_cast<uint32_t>(x);
}

int32_t WideLogistic(int32_t x) {
  const uint32_t y = Interpolate(MagnitudeOf(x), 9);
  const uint32_t whole =
      x >= 0 ? y + (1 << 9) : (uint32_t{1} << 25) - y + (1 << 9) - 1;
  return static_cast<int32_t>(whole >> 10);
}

int32_t WideTanh(int32_t x) {
  const auto y = static_cast<int32_t>(Interpolate(MagnitudeOf(x), 8));
  const int32_t half = 1 << 23;
  const int32_t whole = x >= 0 ? y - half + (1 << 7) : -y + half + (1 << 7) - 1;
  return std::clamp(whole >> 8, -32768, 32767);
}

}  // namespace

bool HasFixedPointCode(const Node& node) {
  return node.type == "RELU" || node.type == "RELU6" ||
         node.type == "RELU_N1_TO_1" || node.type == "RELU_0_TO_1" ||
         node.type == "LEAKY_RELU" || node.type == "HARD_SWISH" ||
         node.type == "ABS";
}

Status RunFixedPoint(const Node& node) {
  if (node.type == "LEAKY_RELU") return RunLeakyRelu(node);
  if (node.type == "HARD_SWISH") return RunHardSwish(node);
  if (node.type == "ABS") return RunAbs(node);
  return RunRelu(node);
}

bool HasWideCode(const Node& node) {
  return node.type == "LOGISTIC" || node.type == "TANH" ||
         (HasFixedPointCode(node) && node.type != "HARD_SWISH");
}

Status RunWide(const Node& node) {
  if (node.type != "LOGISTIC" && node.type != "TANH") {
    return RunFixedPoint(node);
  }
  const float step = node.input(0)->quantization.scale();
  const int exponent = ExponentOf(step);
  const TableScale scale(step);
  if (node.type == "LOGISTIC") {
    // Twelve fractional bits have code of their own.
    if (exponent == -12) {
      MapValues<int16_t>(node, [](int16_t x) { return Sigmoid16(x); });
    } else {
      MapValues<int16_t>(
          node, [&](int16_t x) { return WideLogistic(scale.Apply(x)); });
    }
  } else if (exponent == -12) {
    MapValues<int16_t>(node, [](int16_t x) { return Tanh16(x, 3); });
  } else if (exponent == -11) {
    MapValues<int16_t>(node,
                       [](int16_t x) { return Tanh16(Saturate16(2 * x), 3); });
  } else {
    MapValues<int16_t>(node,
                       [&](int16_t x) { return WideTanh(scale.Apply(x)); });
  }
  return {};
}

}  // namespace stowplan::kernels::reference
