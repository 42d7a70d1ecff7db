// SPDX-License-Identifier: Apache-2.0
//
// Views, and tensors put together or taken apart along one axis.
#include <cmath>
#include <cstring>

#include "stowplan/kernels/reference/movement.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

// An axis, with what lies outside and inside of it.
struct Around {
  Around(const Shape& shape, size_t axis)
      : outer(shape.Product(0, axis)),
        inner(shape.Product(axis + 1, shape.rank)) {}
  int64_t outer;
  int64_t inner;
};

// Copies `outer` blocks of `size` bytes each between two strides.
void CopyBlocks(const std::byte* from, int64_t from_stride, std::byte* to,
                int64_t to_stride, int64_t outer, int64_t size) {
  if (size == 0) return;
  for (int64_t o = 0; o < outer; ++o) {
    std::memcpy(to + o * to_stride, from + o * from_stride,
                static_cast<size_t>(size));
  }
}

// 8-bit values from one quantisation to another, block by block.
void RescaleBlocks(const Tensor& input, const Tensor& output, int64_t offset,
                   int64_t stride, int64_t outer, int64_t size) {
  const float scale =
      input.quantization.scale() * (1.0f / output.quantization.scale());
  const float bias =
      static_cast<float>(-input.quantization.zero_point()) * scale;
  const auto* from = input.As<uint8_t>();
  auto* to = reinterpret_cast<uint8_t*>(output.data) + offset;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < size; ++i) {
      const float steps = static_cast<float>(from[o * size + i]) * scale + bias;
      const int32_t stored =
          static_cast<int32_t>(Bounded(std::round(steps), -1e6f, 1e6f)) +
          output.quantization.zero_point();
      to[o * stride + i] = static_cast<uint8_t>(std::clamp(stored, 0, 255));
    }
  }
}

bool SameScale(const Tensor& a, const Tensor& b) {
  return a.quantization.scale() == b.quantization.scale() &&
         a.quantization.zero_point() == b.quantization.zero_point();
}

Status CheckAxis(const Node& node, size_t axis, size_t rank) {
  if (axis < rank) return {};
  return Unsupported(node, "the axis is outside of the shape");
}

Status CheckMovable(const Node& node, const Tensor& tensor) {
  if (SizeOf(tensor.type) > 0) return {};
  return Unsupported(node, "elements of this type cannot be moved");
}

int64_t ElementOf(const Tensor& tensor) {
  return static_cast<int64_t>(SizeOf(tensor.type));
}

size_t SplitAxis(const Node& node, const Tensor& input) {
  const Tensor& axis = *node.input(node.type == "SPLIT" ? 0 : 2);
  return AxisOf(IntegerAt(axis, 0), input.shape.rank);
}

// Whether the inputs of CONCATENATION make up its output.
Status CheckParts(const Node& node) {
  const Shape& output = node.output().shape;
  const size_t axis = AxisOf(node.options.Int("axis", 0), output.rank);
  int64_t sum = 0;
  for (const Tensor* input : node.inputs) {
    Shape whole = input->shape;
    sum += whole[axis];
    whole[axis] = output[axis];
    if (whole != output) return Unsupported(node, "the operands do not match");
  }
  if (sum == output[axis]) return {};
  return Unsupported(node, "the operands do not make up the output");
}

// Whether SPLIT_V's sizes, one of which may be left out, are the outputs'.
Status CheckSizes(const Node& node, size_t axis) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const int64_t size = IntegerAt(*node.input(1), static_cast<int64_t>(i));
    if (size != -1 && size != node.output(i).shape[axis]) {
      return BadInput("SPLIT_V",
                      "the data ask for other shapes than the model states",
                      "leave the shapes open in the model");
    }
  }
  return {};
}

}  // namespace

Result<Needs> PrepareView(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckMovable(node, *node.input(0)));
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

Status RunView(const Node& node) {
  const Tensor& input = *node.input(0);
  Tensor& output = node.output();
  const int64_t size = output.shape.elements() * ElementOf(output);
  if (input.shape.elements() * ElementOf(input) != size) {
    return BadInput(std::string(node.type),
                    "the new shape has another number of elements",
                    "check the shape operand");
  }
  if (output.data != input.data && size > 0) {
    std::memmove(output.data, input.data, static_cast<size_t>(size));
  }
  return {};
}

Result<Needs> PrepareConcatenation(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, node.inputs.size()));
  const Tensor& output = node.output();
  STOWPLAN_RETURN_IF_ERROR(CheckMovable(node, output));
  STOWPLAN_RETURN_IF_ERROR(
      CheckAxis(node, AxisOf(node.options.Int("axis", 0), output.shape.rank),
                output.shape.rank));
  if (ActivationOf(node) != "NONE") {
    return Unsupported(node, "a fused activation function has no code");
  }
  for (const Tensor* input : node.inputs) {
    if (input->type != output.type) {
      return Unsupported(node, "the operands differ in type");
    }
    if (output.type != Type::kUInt8 && IsQuantized(output) &&
        !SameScale(*input, output)) {
      return Unsupported(node, "the operands differ in scale");
    }
  }
  STOWPLAN_RETURN_IF_ERROR(CheckParts(node));
  return Needs{};
}

Status RunConcatenation(const Node& node) {
  Tensor& output = node.output();
  const size_t axis = AxisOf(node.options.Int("axis", 0), output.shape.rank);
  const Around around(output.shape, axis);
  const int64_t row = around.inner * ElementOf(output);
  const int64_t stride = output.shape[axis] * row;
  int64_t offset = 0;
  for (const Tensor* input : node.inputs) {
    const int64_t size = input->shape[axis] * row;
    if (output.type == Type::kUInt8 && IsQuantized(output) &&
        !SameScale(*input, output)) {
      RescaleBlocks(*input, output, offset, stride, around.outer, size);
    } else {
      CopyBlocks(input->data, size, output.data + offset, stride, around.outer,
                 size);
    }
    offset += size;
  }
  return {};
}

Result<Needs> PreparePack(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, node.inputs.size()));
  STOWPLAN_RETURN_IF_ERROR(CheckMovable(node, node.output()));
  const auto inputs = std::max<int64_t>(std::ssize(node.inputs), 1);
  for (const Tensor* input : node.inputs) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckNumbers(node, *input, {node.output().type},
                     node.output().shape.elements() / inputs));
  }
  const size_t rank = node.output().shape.rank;
  STOWPLAN_RETURN_IF_ERROR(
      CheckAxis(node, AxisOf(node.options.Int("axis", 0), rank), rank));
  return Needs{};
}

Status RunPack(const Node& node) {
  Tensor& output = node.output();
  const size_t axis = AxisOf(node.options.Int("axis", 0), output.shape.rank);
  const Around around(output.shape, axis);
  const int64_t size = around.inner * ElementOf(output);
  const int64_t stride = output.shape[axis] * size;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    CopyBlocks(node.inputs[i]->data, size,
               output.data + static_cast<int64_t>(i) * size, stride,
               around.outer, size);
  }
  return {};
}

Result<Needs> PrepareUnpack(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1, node.outputs.size()));
  const Tensor& input = *node.input(0);
  STOWPLAN_RETURN_IF_ERROR(CheckMovable(node, input));
  const size_t axis = AxisOf(node.options.Int("axis", 0), input.shape.rank);
  STOWPLAN_RETURN_IF_ERROR(CheckAxis(node, axis, input.shape.rank));
  if (input.shape[axis] != static_cast<int64_t>(node.outputs.size())) {
    return Unsupported(node, "it has not one output for each index");
  }
  const auto outputs = std::max<int64_t>(std::ssize(node.outputs), 1);
  for (const Tensor* output : node.outputs) {
    STOWPLAN_RETURN_IF_ERROR(CheckNumbers(node, *output, {input.type},
                                          input.shape.elements() / outputs));
  }
  return Needs{};
}

Status RunUnpack(const Node& node) {
  const Tensor& input = *node.input(0);
  const size_t axis = AxisOf(node.options.Int("axis", 0), input.shape.rank);
  const Around around(input.shape, axis);
  const int64_t size = around.inner * ElementOf(input);
  const int64_t stride = input.shape[axis] * size;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    CopyBlocks(input.data + static_cast<int64_t>(i) * size, stride,
               node.output(i).data, size, around.outer, size);
  }
  return {};
}

Result<Needs> PrepareSplit(const Node& node) {
  const bool even = node.type == "SPLIT";
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, even ? 2 : 3, node.outputs.size()));
  const Tensor& input = *node.input(even ? 1 : 0);
  STOWPLAN_RETURN_IF_ERROR(CheckMovable(node, input));
  STOWPLAN_RETURN_IF_ERROR(CheckNumbers(node, *node.input(even ? 0 : 2),
                                        {Type::kInt32, Type::kInt64}, 1));
  for (const Tensor* output : node.outputs) {
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, *output, {input.type}));
    if (output->shape.rank != input.shape.rank) {
      return Unsupported(node, "input and outputs differ in rank");
    }
  }
  if (even) return Needs{};
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(1), {Type::kInt32, Type::kInt64},
                   static_cast<int64_t>(node.outputs.size())));
  return Needs{};
}

Status RunSplit(const Node& node) {
  const Tensor& input = *node.input(node.type == "SPLIT" ? 1 : 0);
  const size_t axis = SplitAxis(node, input);
  STOWPLAN_RETURN_IF_ERROR(CheckAxis(node, axis, input.shape.rank));
  if (node.type == "SPLIT_V") {
    STOWPLAN_RETURN_IF_ERROR(CheckSizes(node, axis));
  }
  const Around around(input.shape, axis);
  const int64_t row = around.inner * ElementOf(input);
  const int64_t stride = input.shape[axis] * row;
  int64_t offset = 0;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Tensor& output = node.output(i);
    const int64_t size = output.shape[axis] * row;
    if (offset + size > stride ||
        output.shape.elements() * ElementOf(input) != around.outer * size) {
      return BadInput(std::string(node.type),
                      "the parts do not make up the input along that axis",
                      "check the operands for sizes and axis");
    }
    CopyBlocks(input.data + offset, stride, output.data, size, around.outer,
               size);
    offset += size;
  }
  return {};
}

}  // namespace stowplan::kernels::reference
