// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

FloatRange ActivationRange(std::string_view activation) {
  if (activation == "RELU") {
    return {0.0f, std::numeric_limits<float>::infinity()};
  }
  if (activation == "RELU6") return {0.0f, 6.0f};
  if (activation == "RELU_N1_TO_1") return {-1.0f, 1.0f};
  return {};
}

FloatRange FloatRangeOf(const Node& node) {
  FloatRange range = ActivationRange(ActivationOf(node));
  if (node.arithmetic == Arithmetic::kLiteRt) {
    constexpr float kMost = std::numeric_limits<float>::max();
    range.min = std::max(range.min, -kMost);
    range.max = std::min(range.max, kMost);
  }
  return range;
}

IntRange LimitsOf(Type type) {
  switch (type) {
    case Type::kInt8:
      return {-128, 127};
    case Type::kUInt8:
      return {0, 255};
    default:
      return {-32768, 32767};
  }
}

IntRange ActivationRange(std::string_view activation, const Tensor& output) {
  IntRange range = LimitsOf(output.type);
  const FloatRange wanted = ActivationRange(activation);
  const float scale = output.quantization.scale();
  const int32_t zero_point = output.quantization.zero_point();
  const auto quantize = [&](float value) {
    // A scale close to nothing shall not leave the range of integers.
    const float steps = Bounded(std::round(value / scale), -1e6f, 1e6f);
    return zero_point + static_cast<int32_t>(steps);
  };
  if (std::isfinite(wanted.min)) {
    range.min = std::max(range.min, quantize(wanted.min));
  }
  if (std::isfinite(wanted.max)) {
    range.max = std::min(range.max, quantize(wanted.max));
  }
  return range;
}

Status CheckActivation(const Node& node) {
  const std::string_view activation = ActivationOf(node);
  if (activation == "NONE" || activation == "RELU" || activation == "RELU6" ||
      activation == "RELU_N1_TO_1") {
    return {};
  }
  return Unsupported(node, "the fused activation function " +
                               std::string(activation) + " has no code");
}

namespace {

bool HoldsZeroPoint(Type type, int64_t zero) {
  switch (type) {
    case Type::kInt2:
      return zero >= -2 && zero <= 1;
    case Type::kInt4:
      return zero >= -8 && zero <= 7;
    case Type::kInt8:
    case Type::kUInt8:
    case Type::kInt16: {
      const IntRange range = LimitsOf(type);
      return zero >= range.min && zero <= range.max;
    }
    case Type::kInt32:
      return zero >= INT32_MIN && zero <= INT32_MAX;
    default:
      return true;  // Kernels look at no zero points of other types.
  }
}

Status CheckZeroPoints(const Node& node, std::span<Tensor* const> tensors) {
  for (const Tensor* tensor : tensors) {
    if (tensor == nullptr) continue;
    const Quantization& quantization = tensor->quantization;
    for (const int64_t zero : quantization.zero_points) {
      if (HoldsZeroPoint(tensor->type, zero)) continue;
      return Unsupported(node, "the zero point " + std::to_string(zero) +
                                   " is none of " +
                                   std::string(NameOf(tensor->type)));
    }
    if (quantization.zero_points.size() > 1 &&
        quantization.zero_points.size() != quantization.scales.size()) {
      return Unsupported(node, "zero points and scales differ in number");
    }
  }
  return {};
}

}  // namespace

Status CheckArity(const Node& node, size_t inputs, size_t outputs) {
  for (size_t i = 0; i < inputs; ++i) {
    if (node.input(i) == nullptr) {
      return Unsupported(node, "input " + std::to_string(i) + " is missing");
    }
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (i >= node.outputs.size() || node.outputs[i] == nullptr) {
      return Unsupported(node, "output " + std::to_string(i) + " is missing");
    }
  }
  STOWPLAN_RETURN_IF_ERROR(CheckZeroPoints(node, node.inputs));
  STOWPLAN_RETURN_IF_ERROR(CheckZeroPoints(node, node.intermediates));
  return CheckZeroPoints(node, node.outputs);
}

bool IsOneOf(Type type, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

Status CheckType(const Node& node, const Tensor& tensor,
                 std::initializer_list<Type> types) {
  if (IsOneOf(tensor.type, types)) return {};
  return Unsupported(node, "the type " + std::string(NameOf(tensor.type)) +
                               " has no code here");
}

Status OtherShape(const Node& node) {
  return BadInput(std::string(node.type),
                  "the data ask for another shape than the model states",
                  "leave the shape open in the model");
}

Status CheckState(const Node& node, const Tensor& state) {
  if (!state.constant) return {};
  return Unsupported(node, "the state is constant");
}

Status CheckElements(const Node& node, const Tensor& tensor, int64_t count) {
  if (tensor.shape.elements() == count) return {};
  return Unsupported(
      node, "an operand has " + std::to_string(tensor.shape.elements()) +
                " elements where it needs " + std::to_string(count));
}

Status CheckNumbers(const Node& node, const Tensor& tensor,
                    std::initializer_list<Type> types, int64_t count) {
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, tensor, types));
  return CheckElements(node, tensor, count);
}

Status CheckBias(const Node& node, const Tensor* bias, int64_t channels) {
  if (bias == nullptr) return {};
  if (node.output().type == Type::kFloat32) {
    return CheckNumbers(node, *bias, {Type::kFloat32}, channels);
  }
  return CheckNumbers(node, *bias, {Type::kInt32, Type::kInt64}, channels);
}

Status CheckScales(const Node& node, const Tensor& weights, int64_t channels) {
  if (weights.type == Type::kFloat32) return {};
  const size_t scales = weights.quantization.scales.size();
  if (scales == 1 || (scales > 0 && scales == static_cast<size_t>(channels))) {
    return {};
  }
  return Unsupported(node, "integer weights for " + std::to_string(channels) +
                               " channels have " + std::to_string(scales) +
                               " scales");
}

Status CheckWeights(const Node& node, const Tensor& input,
                    const Tensor& weights, const Tensor* bias,
                    int64_t channels) {
  STOWPLAN_RETURN_IF_ERROR(CheckBias(node, bias, channels));
  if (input.type != Type::kFloat32 &&
      (!IsQuantized(input) || !IsQuantized(node.output()))) {
    return Unsupported(node, "an operand has no quantisation");
  }
  return CheckScales(node, weights, channels);
}

Status CheckBlocks(const Node& node, const Tensor& weights, int64_t rows) {
  const Quantization& quantization = weights.quantization;
  const int64_t row = rows == 0 ? 0 : weights.shape.elements() / rows;
  if (quantization.block_size < 1 || row % quantization.block_size != 0) {
    return Unsupported(node, "rows of " + std::to_string(row) +
                                 " elements are no whole blocks of " +
                                 std::to_string(quantization.block_size));
  }
  const int64_t blocks = rows * (row / quantization.block_size);
  if (quantization.half_scales.size() == static_cast<size_t>(blocks)) return {};
  return Unsupported(node, std::to_string(blocks) + " blocks have " +
                               std::to_string(quantization.half_scales.size()) +
                               " scales in half precision");
}

int64_t PaddingBefore(bool same, int64_t input, int64_t output, int64_t size,
                      int64_t stride, int64_t dilation) {
  if (!same) return 0;
  const int64_t covered = (output - 1) * stride + (size - 1) * dilation + 1;
  return std::max<int64_t>(covered - input, 0) / 2;
}

int64_t IntegerAt(const Tensor& tensor, int64_t i) {
  switch (tensor.type) {
    case Type::kInt64:
      return tensor.As<int64_t>()[i];
    case Type::kInt16:
      return tensor.As<int16_t>()[i];
    case Type::kInt8:
      return tensor.As<int8_t>()[i];
    default:
      return tensor.As<int32_t>()[i];
  }
}

bool AsksFor(const Tensor& numbers, const Shape& shape) {
  if (numbers.shape.elements() != static_cast<int64_t>(shape.rank)) {
    return false;
  }
  for (size_t i = 0; i < shape.rank; ++i) {
    if (IntegerAt(numbers, static_cast<int64_t>(i)) != shape[i]) return false;
  }
  return true;
}

float FromHalf(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 0x1F;
  const uint32_t mantissa = half & 0x3FF;
  if (exponent == 0) {  // Zero, or below the normal range: mantissa * 2^-24.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 0x1F ? 0xFF : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

uint16_t ToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return static_cast<uint16_t>(sign | 0x7E00);
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7C00);
  if (magnitude < 0x38800000) {  // Below the normal range.
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
    return static_cast<uint16_t>(sign |
                                 static_cast<uint16_t>(std::lrintf(scaled)));
  }
  // Round the 13 bits that go, ties to even; a carry goes into the exponent.
  const uint32_t odd = magnitude >> 13 & 1;
  const uint32_t rounded = magnitude + 0xFFF + odd - (uint32_t{112} << 23);
  return static_cast<uint16_t>(sign | rounded >> 13);
}

}  // namespace stowplan::kernels::reference
