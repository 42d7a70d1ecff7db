// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/broadcast.h"
#include "stowplan/kernels/reference/elementwise.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

// Elements are only moved, so their size is all that matters.
template <class T>
void SelectTyped(const Node& node, const Shape& condition_shape) {
  const Tensor& x = *node.input(1);
  const Tensor& y = *node.input(2);
  Tensor& output = node.output();
  const auto* condition = node.input(0)->As<bool>();
  const Broadcast<3> walk(output.shape, {&condition_shape, &x.shape, &y.shape});
  walk.ForEachRow([&](int64_t first, int64_t count,
                      const std::array<int64_t, 3>& offsets,
                      const std::array<int64_t, 3>& strides) {
    T* to = output.As<T>() + first;
    for (int64_t i = 0; i < count; ++i) {
      to[i] = condition[offsets[0] + i * strides[0]]
                  ? x.As<T>()[offsets[1] + i * strides[1]]
                  : y.As<T>()[offsets[2] + i * strides[2]];
    }
  });
}

Status SelectBySize(const Node& node, const Shape& condition_shape) {
  switch (SizeOf(node.output().type)) {
    case 1:
      SelectTyped<uint8_t>(node, condition_shape);
      return {};
    case 2:
      SelectTyped<uint16_t>(node, condition_shape);
      return {};
    case 4:
      SelectTyped<uint32_t>(node, condition_shape);
      return {};
    default:
      SelectTyped<uint64_t>(node, condition_shape);
      return {};
  }
}

// SELECT's condition may be a vector that picks whole rows.
Shape ConditionShape(const Node& node) {
  const Shape& condition = node.input(0)->shape;
  const Shape& output = node.output().shape;
  if (node.type != "SELECT" || condition.rank != 1 || output.rank <= 1) {
    return condition;
  }
  Shape rows;
  rows.rank = output.rank;
  for (size_t i = 0; i < rows.rank; ++i) rows[i] = i == 0 ? condition[0] : 1;
  return rows;
}

}  // namespace

Result<Needs> PrepareSelect(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kBool}));
  const size_t size = SizeOf(node.output().type);
  if (node.input(1)->type != node.output().type ||
      node.input(2)->type != node.output().type || size == 0 || size > 8) {
    return Unsupported(node, "these types have no code");
  }
  const Shape& output = node.output().shape;
  if (!Stretches(ConditionShape(node), output) ||
      !Stretches(node.input(1)->shape, output) ||
      !Stretches(node.input(2)->shape, output)) {
    return Unsupported(node, "the shapes do not match");
  }
  Needs needs;
  needs.in_place = 0b111;
  return needs;
}

Status RunSelect(const Node& node) {
  return SelectBySize(node, ConditionShape(node));
}

Status RunSelectV2(const Node& node) {
  return SelectBySize(node, node.input(0)->shape);
}

}  // namespace stowplan::kernels::reference
