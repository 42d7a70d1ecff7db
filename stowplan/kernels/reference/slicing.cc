// SPDX-License-Identifier: Apache-2.0
//
// Boxes cut out of a tensor or put into one.
#include <cstring>

#include "stowplan/kernels/reference/movement.h"
#include "stowplan/kernels/reference/strided_copy.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

int64_t ElementOf(const Tensor& tensor) {
  return static_cast<int64_t>(SizeOf(tensor.type));
}

int64_t StrideOf(const Shape& shape, size_t axis) {
  return shape.Product(axis + 1, shape.rank);
}

Status CheckMoved(const Node& node) {
  if (SizeOf(node.output().type) == 0 ||
      SizeOf(node.output().type) != SizeOf(node.input(0)->type)) {
    return Unsupported(node, "elements of this type cannot be moved");
  }
  return {};
}

Status OutOfBounds(const Node& node) {
  return BadInput(std::string(node.type), "the slice leaves its tensor",
                  "check the operands that say where it begins");
}

// The parts of STRIDED_SLICE's specification that concern one axis of the
// input.
struct AxisSlice {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t size = 0;
};

// Where a bound lies that may be left out or counted from the end.
int64_t BoundOf(const Tensor* bound, int64_t i, bool left_out, int64_t whole,
                int64_t size, bool forward) {
  if (left_out) return whole;
  int64_t value = IntegerAt(*bound, i);
  if (value < 0) value += size;  // Cannot overflow: the signs differ.
  return forward ? std::clamp<int64_t>(value, 0, size)
                 : std::clamp<int64_t>(value, -1, size - 1);
}

// Bit `i` of a mask, which has none for entries that no tensor has axes for.
bool IsSet(int64_t mask, int64_t i) { return i < 32 && (mask >> i & 1) != 0; }

AxisSlice SliceOf(const Node& node, int64_t i, int64_t size) {
  const auto masked = [&](const char* name) {
    return IsSet(node.options.Int(name, 0), i);
  };
  AxisSlice slice;
  slice.stride = IntegerAt(*node.input(3), i);
  const bool forward = slice.stride > 0;
  slice.begin = BoundOf(node.input(1), i, masked("begin_mask"),
                        forward ? 0 : size - 1, size, forward);
  if (masked("shrink_axis_mask")) {
    // One index; it is never clamped into the tensor.
    const int64_t at = IntegerAt(*node.input(1), i);
    return {masked("begin_mask") ? 0 : at < 0 ? at + size : at, 1, 1};
  }
  int64_t end;
  if (node.options.Flag("offset") && !masked("end_mask")) {
    // The room on either side first: the sum might not fit.
    end = slice.begin + std::clamp(IntegerAt(*node.input(2), i), -slice.begin,
                                   size - slice.begin);
  } else {
    end = BoundOf(node.input(2), i, masked("end_mask"), forward ? size : -1,
                  size, forward);
  }
  const int64_t span = forward ? end - slice.begin : slice.begin - end;
  // A stride beyond the input takes one element as one of its size does.
  slice.stride = std::clamp(slice.stride, -std::max<int64_t>(size, 1),
                            std::max<int64_t>(size, 1));
  const int64_t step = forward ? slice.stride : -slice.stride;
  slice.size = span <= 0 ? 0 : (span + step - 1) / step;
  return slice;
}

// The slices of all axes of the input, and whether the specification is one
// that can be run.
struct Specification {
  std::array<AxisSlice, kMaxRank> axes;
  bool valid = true;
};

Specification SpecificationOf(const Node& node) {
  const Shape& shape = node.input(0)->shape;
  const int64_t entries = node.input(1)->shape.elements();
  const int64_t ellipsis = node.options.Int("ellipsis_mask", 0);
  const int64_t added = node.options.Int("new_axis_mask", 0);
  Specification spec;
  size_t axis = 0;
  for (int64_t i = 0; i < entries; ++i) {
    if (IsSet(ellipsis, i)) {
      int64_t behind = 0;  // Entries after it that name an axis.
      for (int64_t k = i + 1; k < entries; ++k)
        behind += IsSet(added, k) ? 0 : 1;
      while (axis + static_cast<size_t>(behind) < shape.rank) {
        spec.axes[axis] = {0, 1, shape[axis]};
        ++axis;
      }
    } else if (!IsSet(added, i)) {
      if (axis >= shape.rank || IntegerAt(*node.input(3), i) == 0) {
        spec.valid = false;
        return spec;
      }
      spec.axes[axis] = SliceOf(node, i, shape[axis]);
      ++axis;
    }
  }
  for (; axis < shape.rank; ++axis) spec.axes[axis] = {0, 1, shape[axis]};
  return spec;
}

}  // namespace

Result<Needs> PrepareSlice(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node));
  const Shape& in = node.input(0)->shape;
  if (node.output().shape.rank != in.rank) {
    return Unsupported(node, "input and output differ in rank");
  }
  for (size_t i = 1; i < 3; ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckNumbers(node, *node.input(i),
                                          {Type::kInt32, Type::kInt64},
                                          static_cast<int64_t>(in.rank)));
  }
  return Needs{};
}

Status RunSlice(const Node& node) {
  const Shape& in = node.input(0)->shape;
  const Shape& out = node.output().shape;
  StridedCopy copy;
  int64_t first = 0;
  for (size_t axis = 0; axis < in.rank; ++axis) {
    const auto entry = static_cast<int64_t>(axis);
    const int64_t begin = IntegerAt(*node.input(1), entry);
    if (begin < 0 || begin > in[axis]) return OutOfBounds(node);
    const int64_t size = IntegerAt(*node.input(2), entry);
    if ((size == -1 ? in[axis] - begin : size) != out[axis]) {
      return OtherShape(node);
    }
    if (out[axis] > in[axis] - begin) return OutOfBounds(node);
    first += begin * StrideOf(in, axis);
    copy.Add(out[axis], StrideOf(in, axis), StrideOf(out, axis));
  }
  if (node.output().shape.elements() == 0) return {};
  const int64_t element = ElementOf(node.output());
  copy.Run(node.input(0)->data + first * element, node.output().data, element);
  return {};
}

Result<Needs> PrepareStridedSlice(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 4));
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node));
  const int64_t entries = node.input(1)->shape.elements();
  for (size_t i = 1; i < 4; ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckType(
        node, *node.input(i), {Type::kInt32, Type::kInt64, Type::kInt16}));
    STOWPLAN_RETURN_IF_ERROR(CheckElements(node, *node.input(i), entries));
  }
  if (entries > 32) return Unsupported(node, "its masks have only 32 bits");
  return Needs{};
}

Status RunStridedSlice(const Node& node) {
  const Shape& in = node.input(0)->shape;
  const Specification spec = SpecificationOf(node);
  if (!spec.valid) return OutOfBounds(node);
  std::array<int64_t, kMaxRank + 1> to_strides = {};
  to_strides[in.rank] = 1;
  for (size_t axis = in.rank; axis-- > 0;) {
    to_strides[axis] = to_strides[axis + 1] * spec.axes[axis].size;
  }
  if (to_strides[0] != node.output().shape.elements()) {
    return OutOfBounds(node);
  }
  StridedCopy copy;
  int64_t first = 0;
  for (size_t axis = 0; axis < in.rank; ++axis) {
    const AxisSlice& slice = spec.axes[axis];
    if (slice.size > 0 && (slice.begin < 0 || slice.begin >= in[axis])) {
      return OutOfBounds(node);
    }
    first += slice.begin * StrideOf(in, axis);
    copy.Add(slice.size, slice.stride * StrideOf(in, axis),
             to_strides[axis + 1]);
  }
  if (node.output().shape.elements() == 0) return {};
  const int64_t element = ElementOf(node.output());
  copy.Run(node.input(0)->data + first * element, node.output().data, element);
  return {};
}

Result<Needs> PrepareUpdateSlice(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  STOWPLAN_RETURN_IF_ERROR(CheckMoved(node));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(2), {Type::kInt32, Type::kInt64}));
  STOWPLAN_RETURN_IF_ERROR(CheckElements(
      node, *node.input(2), static_cast<int64_t>(node.output().shape.rank)));
  if (node.input(0)->shape != node.output().shape ||
      node.input(1)->shape.rank != node.output().shape.rank ||
      node.input(1)->type != node.output().type) {
    return Unsupported(node, "the update does not match");
  }
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

// The update is moved inside the tensor where it would stick out.
Status RunUpdateSlice(const Node& node) {
  const Tensor& update = *node.input(1);
  Tensor& output = node.output();
  const int64_t element = ElementOf(output);
  const int64_t size = output.shape.elements() * element;
  if (output.data != node.input(0)->data && size > 0) {
    std::memcpy(output.data, node.input(0)->data, static_cast<size_t>(size));
  }
  StridedCopy copy;
  int64_t first = 0;
  for (size_t axis = 0; axis < output.shape.rank; ++axis) {
    const int64_t room = output.shape[axis] - update.shape[axis];
    if (room < 0) return OutOfBounds(node);
    const int64_t begin = std::clamp<int64_t>(
        IntegerAt(*node.input(2), static_cast<int64_t>(axis)), 0, room);
    first += begin * StrideOf(output.shape, axis);
    copy.Add(update.shape[axis], StrideOf(update.shape, axis),
             StrideOf(output.shape, axis));
  }
  if (update.shape.elements() == 0) return {};
  copy.Run(update.data, output.data + first * element, element);
  return {};
}

}  // namespace stowplan::kernels::reference
