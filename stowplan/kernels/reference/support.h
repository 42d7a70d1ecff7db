// SPDX-License-Identifier: Apache-2.0
//
// What the reference kernels share: checks in Prepare, activation functions
// as ranges, paddings.
#pragma once

#include <initializer_list>
#include <limits>
#include <string_view>

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

struct FloatRange {
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

struct IntRange {
  int32_t min = 0;
  int32_t max = 0;
};

// The activation function fused into an operator, as the range it leaves.
// REQUIRES: CheckActivation was successful.
FloatRange ActivationRange(std::string_view activation);

// The same in the steps of `output`. REQUIRES: an 8- or 16-bit type.
IntRange ActivationRange(std::string_view activation, const Tensor& output);

// The fused activation of `node`; "NONE" if it has none.
inline std::string_view ActivationOf(const Node& node) {
  return node.options.Text("fused_activation_function", "NONE");
}

// The range that the fused activation of `node` leaves of floats. LiteRT's own
// kernels leave no infinities; its delegate does.
FloatRange FloatRangeOf(const Node& node);

// Errors if it is one that is no range (TANH and SIGN_BIT).
Status CheckActivation(const Node& node);

// The values that the type can hold. REQUIRES: an 8- or 16-bit type.
IntRange LimitsOf(Type type);

// Errors if the node has fewer inputs or outputs, or one of those is absent;
// also if an operand has zero points that its type cannot hold, or neither one
// nor as many as scales: all kernels reckon with those.
Status CheckArity(const Node& node, size_t inputs, size_t outputs = 1);

bool IsOneOf(Type type, std::initializer_list<Type> types);

// Errors if the type of the tensor is none of them.
Status CheckType(const Node& node, const Tensor& tensor,
                 std::initializer_list<Type> types);

// The error of data that ask for another output than the model states.
Status OtherShape(const Node& node);

// Errors for a state that never changes: its bytes may be those of a file.
Status CheckState(const Node& node, const Tensor& state);

// Errors unless the tensor has exactly so many elements.
Status CheckElements(const Node& node, const Tensor& tensor, int64_t count);

// Errors if there is a bias and it is not one number for each channel: floats
// where the output has floats, else integers of 32 or 64 bits.
Status CheckBias(const Node& node, const Tensor* bias, int64_t channels);

// Errors if integer `weights` have neither one scale nor one for each channel.
Status CheckScales(const Node& node, const Tensor& weights, int64_t channels);

// Errors if a sum of products of `input` and `weights` lacks a scale that it
// needs, or one of the two checks above fails.
Status CheckWeights(const Node& node, const Tensor& input,
                    const Tensor& weights, const Tensor* bias,
                    int64_t channels);

// Errors if integer `weights` of blocks have not a scale in half precision for
// each block of each of `rows` rows, or blocks do not divide a row.
Status CheckBlocks(const Node& node, const Tensor& weights, int64_t rows);

// Errors unless the tensor has one of `types` and `count` elements.
Status CheckNumbers(const Node& node, const Tensor& tensor,
                    std::initializer_list<Type> types, int64_t count);

inline bool IsQuantized(const Tensor& tensor) {
  return !tensor.quantization.scales.empty() &&
         IsOneOf(tensor.type, {Type::kInt8, Type::kUInt8, Type::kInt16});
}

// Elements before the first one of an axis, so that windows of `size` at
// distances of `stride` cover it; 0 for VALID.
int64_t PaddingBefore(bool same, int64_t input, int64_t output, int64_t size,
                      int64_t stride, int64_t dilation);

inline bool IsSame(const Node& node) {
  return node.options.Text("padding") == "SAME";
}

// An axis that may be counted from the end. REQUIRES: within the rank.
inline size_t AxisOf(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank)
                                      : axis);
}

// Element `i` of an int32 or int64 tensor with content; also int8 and int16.
int64_t IntegerAt(const Tensor& tensor, int64_t i);

// Whether `numbers` are that shape's dimensions. Where they are data, memory
// was planned for what the model states, and a kernel has to refuse another
// shape.
bool AsksFor(const Tensor& numbers, const Shape& shape);

// The half-precision number of those bits.
float FromHalf(uint16_t half);
// The nearest half-precision number, ties to even.
uint16_t ToHalf(float value);

}  // namespace stowplan::kernels::reference
