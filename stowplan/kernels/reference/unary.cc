// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value. Floats are mapped one by one; 8-bit integers through
// a table of their 256 values, so that any function costs the same.
#include <array>
#include <cmath>
#include <string_view>

#include "stowplan/kernels/reference/elementwise.h"
#include "stowplan/kernels/reference/integer_unary.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/reference/table16.h"

namespace stowplan::kernels::reference {
namespace {

// An option of the operator, where it has one.
using Function = float (*)(float value, float option);
using Loop = void (*)(const float* from, float* to, int64_t size, float option);

template <Function kFunction>
void Map(const float* from, float* to, int64_t size, float option) {
  for (int64_t i = 0; i < size; ++i) to[i] = kFunction(from[i], option);
}

float Abs(float x, float) { return std::fabs(x); }
float Neg(float x, float) { return -x; }
float Exp(float x, float) { return std::exp(x); }
float Log(float x, float) { return std::log(x); }
float Sqrt(float x, float) { return std::sqrt(x); }
float Rsqrt(float x, float) { return 1.0f / std::sqrt(x); }
float Square(float x, float) { return x * x; }
float Sin(float x, float) { return std::sin(x); }
float Cos(float x, float) { return std::cos(x); }
float Floor(float x, float) { return std::floor(x); }
float Ceil(float x, float) { return std::ceil(x); }
float Round(float x, float) { return std::nearbyint(x); }
float Tanh(float x, float) { return std::tanh(x); }
// Never divides by what is larger than 2, so that nothing is lost far below 0.
float Logistic(float x, float) {
  const float e = std::exp(-std::fabs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}
// What LiteRT fills its tables of 8-bit values with.
float PlainLogistic(float x, float) { return 1.0f / (1.0f + std::exp(-x)); }
float Relu(float x, float) { return x > 0.0f ? x : 0.0f; }
float Relu6(float x, float) { return std::clamp(x, 0.0f, 6.0f); }
float ReluN1To1(float x, float) { return std::clamp(x, -1.0f, 1.0f); }
float Relu0To1(float x, float) { return std::clamp(x, 0.0f, 1.0f); }
float Elu(float x, float) { return x < 0.0f ? std::expm1(x) : x; }
float LeakyRelu(float x, float alpha) { return x > 0.0f ? x : x * alpha; }
float HardSwish(float x, float) {
  return x * std::clamp(x + 3.0f, 0.0f, 6.0f) / 6.0f;
}
float Sign(float x, float) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f; }
float Zero(float, float) { return 0.0f; }
// Hendrycks & Gimpel, "Gaussian Error Linear Units", section 2: exact, and
// with tanh.
float Gelu(float x, float approximate) {
  if (approximate == 0.0f) {
    return 0.5f * x * std::erfc(x * -0.70710678118654752440f);
  }
  const float inner = 0.79788456080286535588f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + std::tanh(inner));
}

struct Row {
  std::string_view type;
  Function function;
  Loop loop;
  bool integers;  // Whether the 8-bit table serves quantised values.
};

#define STOWPLAN_UNARY(type, function, integers) \
  Row { type, function, Map<function>, integers }

constexpr std::array<Row, 25> kRows = {{
    STOWPLAN_UNARY("ABS", Abs, true),
    STOWPLAN_UNARY("NEG", Neg, false),
    STOWPLAN_UNARY("EXP", Exp, true),
    STOWPLAN_UNARY("LOG", Log, true),
    STOWPLAN_UNARY("SQRT", Sqrt, true),
    STOWPLAN_UNARY("RSQRT", Rsqrt, true),
    STOWPLAN_UNARY("SQUARE", Square, false),
    STOWPLAN_UNARY("SIN", Sin, false),
    STOWPLAN_UNARY("COS", Cos, false),
    STOWPLAN_UNARY("FLOOR", Floor, false),
    STOWPLAN_UNARY("CEIL", Ceil, false),
    STOWPLAN_UNARY("ROUND", Round, false),
    STOWPLAN_UNARY("TANH", Tanh, true),
    Row{"LOGISTIC", PlainLogistic, Map<Logistic>, true},
    STOWPLAN_UNARY("RELU", Relu, true),
    STOWPLAN_UNARY("RELU6", Relu6, true),
    STOWPLAN_UNARY("RELU_N1_TO_1", ReluN1To1, true),
    STOWPLAN_UNARY("RELU_0_TO_1", Relu0To1, true),
    STOWPLAN_UNARY("ELU", Elu, true),
    STOWPLAN_UNARY("LEAKY_RELU", LeakyRelu, true),
    STOWPLAN_UNARY("HARD_SWISH", HardSwish, true),
    STOWPLAN_UNARY("SIGN", Sign, false),
    STOWPLAN_UNARY("GELU", Gelu, true),
    STOWPLAN_UNARY("ZEROS_LIKE", Zero, false),
    STOWPLAN_UNARY("STABLEHLO_LOGISTIC", Logistic, false),
}};

#undef STOWPLAN_UNARY

const Row* Find(std::string_view type) {
  for (const Row& row : kRows) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

float OptionOf(const Node& node) {
  if (node.type == "LEAKY_RELU") return node.options.Float("alpha", 0.0f);
  if (node.type == "GELU") return node.options.Flag("approximate") ? 1 : 0;
  return 0.0f;
}

// Integers that are no quantised values.
template <class T>
Status RunWhole(const Node& node) {
  const T* from = node.input(0)->As<T>();
  T* to = node.output().As<T>();
  const int64_t size = node.output().shape.elements();
  using Unsigned = std::make_unsigned_t<T>;
  const auto negated = [](T x) {
    return static_cast<T>(Unsigned{0} - static_cast<Unsigned>(x));
  };
  const std::string_view type = node.type;
  for (int64_t i = 0; i < size; ++i) {
    const T x = from[i];
    if (type == "NEG" || (type == "ABS" && x < 0)) {
      to[i] = negated(x);
    } else if (type == "SIGN") {
      to[i] = static_cast<T>((x > 0) - (x < 0));
    } else if (type == "SQUARE") {
      to[i] =
          static_cast<T>(static_cast<Unsigned>(x) * static_cast<Unsigned>(x));
    } else {
      to[i] = type == "ZEROS_LIKE" ? T{0} : x;
    }
  }
  return {};
}

bool HasWholeCode(std::string_view type) {
  return type == "NEG" || type == "ABS" || type == "SIGN" ||
         type == "ZEROS_LIKE" || type == "SQUARE";
}

Status RunTable(const Node& node, const Row& row) {
  const Tensor& input = *node.input(0);
  const int64_t size = node.output().shape.elements();
  std::array<uint8_t, 256> table;
  const float option = OptionOf(node);
  FillTable(
      input, node.output(),
      [&](float value) { return row.function(value, option); }, table);
  const auto* from = input.As<uint8_t>();
  auto* to = node.output().As<uint8_t>();
  for (int64_t i = 0; i < size; ++i) to[i] = table[from[i]];
  return {};
}

// 16-bit integers: between the entries of a table.
Status RunTable16(const Node& node, const Row& row) {
  const Quantization& in = node.input(0)->quantization;
  const Quantization& out = node.output().quantization;
  const float option = OptionOf(node);
  const float width = out.scale() * 65535.0f;
  const auto table =
      Table16::Of(in.scale() * static_cast<float>(-32768 - in.zero_point()),
                  in.scale() * static_cast<float>(32767 - in.zero_point()),
                  65536.0f / width,
                  [&](float value) { return row.function(value, option); });
  const auto* from = node.input(0)->As<int16_t>();
  auto* to = node.output().As<int16_t>();
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i) to[i] = table[from[i]];
  return {};
}

bool HasTable16(const Node& node) {
  return node.type == "EXP" || node.type == "GELU";
}

}  // namespace

Result<Needs> PrepareUnary(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  const Row* row = Find(node.type);
  const Tensor& input = *node.input(0);
  if (row == nullptr || node.output().type != input.type) {
    return Unsupported(node, "input and output differ in type");
  }
  const Type type = input.type;
  const bool quantized = IsQuantized(input) && IsQuantized(node.output());
  bool has_code = type == Type::kFloat32;
  if (quantized) {
    has_code = type == Type::kInt16 ? HasWideCode(node) || HasTable16(node)
                                    : row->integers;
  } else if (type == Type::kInt32 || type == Type::kInt64) {
    has_code = HasWholeCode(node.type);
  }
  if (!has_code) return Unsupported(node, "this type has no code");
  Needs needs;
  needs.in_place = node.type == "ZEROS_LIKE" ? 0 : 0b1;
  return needs;
}

Status RunUnary(const Node& node) {
  const Row& row = *Find(node.type);
  const Tensor& input = *node.input(0);
  switch (input.type) {
    case Type::kFloat32:
      row.loop(input.As<float>(), node.output().As<float>(),
               node.output().shape.elements(), OptionOf(node));
      return {};
    case Type::kInt32:
      return RunWhole<int32_t>(node);
    case Type::kInt64:
      return RunWhole<int64_t>(node);
    case Type::kInt16:
      return HasTable16(node) ? RunTable16(node, row) : RunWide(node);
    default:
      return HasFixedPointCode(node) ? RunFixedPoint(node)
                                     : RunTable(node, row);
  }
}

}  // namespace stowplan::kernels::reference
