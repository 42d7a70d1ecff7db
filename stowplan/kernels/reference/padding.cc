// SPDX-License-Identifier: Apache-2.0
//
// PAD, PADV2, MIRROR_PAD.
#include <cstring>

#include "stowplan/kernels/reference/movement.h"
#include "stowplan/kernels/reference/strided_copy.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

int64_t ElementOf(const Tensor& tensor) {
  return static_cast<int64_t>(SizeOf(tensor.type));
}

int64_t BeforeOf(const Node& node, size_t axis) {
  return IntegerAt(*node.input(1), 2 * static_cast<int64_t>(axis));
}
int64_t AfterOf(const Node& node, size_t axis) {
  return IntegerAt(*node.input(1), 2 * static_cast<int64_t>(axis) + 1);
}

template <class T>
void FillTyped(Tensor& output, T value) {
  std::fill_n(output.As<T>(), output.shape.elements(), value);
}

// With the given value or, without one, with what stands for zero.
void FillAll(const Node& node) {
  Tensor& output = node.output();
  const Tensor* value = node.input(2);
  switch (SizeOf(output.type)) {
    case 1: {
      const auto zero = static_cast<uint8_t>(output.quantization.zero_point());
      return FillTyped(output, value ? *value->As<uint8_t>() : zero);
    }
    case 2: {
      const auto zero = static_cast<uint16_t>(output.quantization.zero_point());
      return FillTyped(output, value ? *value->As<uint16_t>() : zero);
    }
    case 4:
      return FillTyped(output, value ? *value->As<uint32_t>() : uint32_t{0});
    default:
      return FillTyped(output, value ? *value->As<uint64_t>() : uint64_t{0});
  }
}

Status CheckPads(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(1),
                {Type::kInt32, Type::kInt64, Type::kInt16, Type::kInt8}));
  const size_t size = SizeOf(node.output().type);
  if (node.output().shape.rank != node.input(0)->shape.rank) {
    return Unsupported(node, "input and output differ in rank");
  }
  if (size == 0 || size > 8 || node.output().type != node.input(0)->type ||
      node.input(1)->shape.elements() !=
          2 * static_cast<int64_t>(node.input(0)->shape.rank)) {
    return Unsupported(node, "the paddings do not match the input");
  }
  return {};
}

Status CheckSizes(const Node& node) {
  const Shape& in = node.input(0)->shape;
  for (size_t axis = 0; axis < in.rank; ++axis) {
    const int64_t before = BeforeOf(node, axis);
    // By subtraction: paddings are data, and their sum might not fit.
    const int64_t room = node.output().shape[axis] - in[axis];
    if (before < 0 || before > room || AfterOf(node, axis) != room - before) {
      return BadInput(std::string(node.type),
                      "the paddings do not lead to the output's shape",
                      "check the paddings operand");
    }
  }
  return {};
}

// The element of [0, size) that is seen in a mirror at either end. With
// `edge`, the mirror stands behind the last element and not in it.
int64_t Mirrored(int64_t position, int64_t size, bool edge) {
  const int64_t at_end = edge ? 1 : 0;
  if (position < 0) return -position - at_end;
  if (position >= size) return 2 * (size - 1) - position + at_end;
  return position;
}

}  // namespace

Result<Needs> PreparePad(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckPads(node));
  if (node.input(2) != nullptr && node.input(2)->type != node.output().type) {
    return Unsupported(node, "the value is of another type");
  }
  if (node.input(2) != nullptr) {
    STOWPLAN_RETURN_IF_ERROR(CheckElements(node, *node.input(2), 1));
  }
  return Needs{};
}

Status RunPad(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckSizes(node));
  const Shape& in = node.input(0)->shape;
  Tensor& output = node.output();
  FillAll(node);
  StridedCopy copy;
  int64_t first = 0;
  for (size_t axis = 0; axis < in.rank; ++axis) {
    const int64_t stride = output.shape.Product(axis + 1, in.rank);
    first += BeforeOf(node, axis) * stride;
    copy.Add(in[axis], in.Product(axis + 1, in.rank), stride);
  }
  if (in.elements() == 0) return {};
  const int64_t element = ElementOf(output);
  copy.Run(node.input(0)->data, output.data + first * element, element);
  return {};
}

Result<Needs> PrepareMirrorPad(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckPads(node));
  return Needs{};
}

Status RunMirrorPad(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckSizes(node));
  const Shape& in = node.input(0)->shape;
  const Shape& out = node.output().shape;
  const bool edge = node.options.Text("mode") == "SYMMETRIC";
  for (size_t axis = 0; axis < in.rank; ++axis) {
    const int64_t most = in[axis] - (edge ? 0 : 1);
    if (BeforeOf(node, axis) > most || AfterOf(node, axis) > most) {
      return BadInput("MIRROR_PAD", "a padding is wider than the input",
                      "check the paddings operand");
    }
  }
  const int64_t element = ElementOf(node.output());
  const int64_t size = out.elements();
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i;
    int64_t from = 0;
    int64_t stride = 1;
    for (size_t axis = in.rank; axis-- > 0;) {
      const int64_t position = rest % out[axis] - BeforeOf(node, axis);
      rest /= out[axis];
      from += Mirrored(position, in[axis], edge) * stride;
      stride *= in[axis];
    }
    std::memcpy(node.output().data + i * element,
                node.input(0)->data + from * element,
                static_cast<size_t>(element));
  }
  return {};
}

}  // namespace stowplan::kernels::reference
