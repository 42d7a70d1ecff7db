// SPDX-License-Identifier: Apache-2.0
//
// ARG_MAX, ARG_MIN, TOPK_V2.
#include <algorithm>

#include "stowplan/kernels/reference/reduce.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

// The first of equal elements wins.
template <class T, class Index>
void Arg(const Node& node, size_t axis) {
  const Shape& shape = node.input(0)->shape;
  const bool least = node.type == "ARG_MIN";
  const int64_t size = shape[axis];
  const int64_t inner = shape.Product(axis + 1, shape.rank);
  const int64_t outer = shape.Product(0, axis);
  const T* from = node.input(0)->As<T>();
  Index* to = node.output().As<Index>();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const T* values = from + o * size * inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < size; ++k) {
        const T value = values[k * inner];
        const T champion = values[best * inner];
        if (least ? value < champion : value > champion) best = k;
      }
      to[o * inner + i] = static_cast<Index>(best);
    }
  }
}

template <class T>
Status ArgTyped(const Node& node) {
  const size_t rank = node.input(0)->shape.rank;
  const size_t axis = AxisOf(IntegerAt(*node.input(1), 0), rank);
  if (axis >= rank) {
    return BadInput(std::string(node.type), "the axis is outside of the input",
                    "use an axis within the rank");
  }
  const Shape& shape = node.input(0)->shape;
  if (node.output().shape.elements() !=
      shape.Product(0, axis) * shape.Product(axis + 1, rank)) {
    return BadInput(std::string(node.type),
                    "the axis does not lead to the output's shape",
                    "check the axis operand");
  }
  if (node.output().type == Type::kInt64) {
    Arg<T, int64_t>(node, axis);
  } else {
    Arg<T, int32_t>(node, axis);
  }
  return {};
}

// Insertion into the k best so far: k is small, and it needs no memory beside
// the outputs. Of equal elements the first comes first.
template <class T, class Index>
void TopRow(const T* from, int64_t size, int64_t k, T* values, Index* indices) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i) {
    const T value = from[i];
    if (count == k && !(value > values[k - 1])) continue;
    int64_t place = count == k ? k - 1 : count++;
    while (place > 0 && value > values[place - 1]) {
      values[place] = values[place - 1];
      indices[place] = indices[place - 1];
      --place;
    }
    values[place] = value;
    indices[place] = static_cast<Index>(i);
  }
}

template <class T>
Status TopTyped(const Node& node) {
  const int64_t size = node.input(0)->shape.last();
  const int64_t k = node.output().shape.last();
  if (k == 0 || size == 0) return {};
  const int64_t rows = node.input(0)->shape.elements() / size;
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = node.input(0)->As<T>() + r * size;
    T* values = node.output().As<T>() + r * k;
    if (node.output(1).type == Type::kInt16) {
      TopRow(from, size, k, values, node.output(1).As<int16_t>() + r * k);
    } else {
      TopRow(from, size, k, values, node.output(1).As<int32_t>() + r * k);
    }
  }
  return {};
}

}  // namespace

Result<Needs> PrepareArg(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, *node.input(0),
      {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt32, Type::kBool}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(1), {Type::kInt32, Type::kInt64}, 1));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, node.output(), {Type::kInt32, Type::kInt64}));
  return Needs{};
}

Status RunArg(const Node& node) {
  switch (node.input(0)->type) {
    case Type::kFloat32:
      return ArgTyped<float>(node);
    case Type::kInt32:
      return ArgTyped<int32_t>(node);
    case Type::kInt8:
      return ArgTyped<int8_t>(node);
    default:
      return ArgTyped<uint8_t>(node);
  }
}

Result<Needs> PrepareTopK(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2, 2));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0),
                {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt32,
                 Type::kInt64, Type::kInt16}));
  STOWPLAN_RETURN_IF_ERROR(CheckNumbers(
      node, *node.input(1), {Type::kInt32, Type::kInt64, Type::kInt16}, 1));
  const Shape& input = node.input(0)->shape;
  const Tensor& values = node.output(0);
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, values, {node.input(0)->type}));
  if (input.rank < 1 || values.shape.rank != input.rank ||
      values.shape.Product(0, input.rank - 1) !=
          input.Product(0, input.rank - 1)) {
    return Unsupported(node, "input and output do not match");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckNumbers(node, node.output(1),
                                        {Type::kInt32, Type::kInt16},
                                        values.shape.elements()));
  return Needs{};
}

Status RunTopK(const Node& node) {
  const int64_t k = node.output().shape.last();
  if (IntegerAt(*node.input(1), 0) != k) {
    return BadInput("TOPK_V2",
                    "the data ask for another shape than the model states",
                    "leave the shape open in the model");
  }
  if (k > node.input(0)->shape.last()) {
    return BadInput("TOPK_V2", "k exceeds the length of a row",
                    "check the k that the model is given");
  }
  switch (node.input(0)->type) {
    case Type::kFloat32:
      return TopTyped<float>(node);
    case Type::kInt32:
      return TopTyped<int32_t>(node);
    case Type::kInt64:
      return TopTyped<int64_t>(node);
    case Type::kInt16:
      return TopTyped<int16_t>(node);
    case Type::kInt8:
      return TopTyped<int8_t>(node);
    default:
      return TopTyped<uint8_t>(node);
  }
}

}  // namespace stowplan::kernels::reference
