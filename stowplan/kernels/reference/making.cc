// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/making.h"

#include <cmath>
#include <cstring>

#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

void PutInteger(Tensor& tensor, int64_t i, int64_t value) {
  if (tensor.type == Type::kInt64) {
    tensor.As<int64_t>()[i] = value;
  } else {
    tensor.As<int32_t>()[i] = static_cast<int32_t>(value);
  }
}

// How many steps there are from `start` to before `limit`; -1 if that many
// are none.
template <class T>
int64_t RangeSize(T start, T limit, T step) {
  if (step == T{0} || step != step) return -1;
  if (step > T{0} ? start >= limit : start <= limit) return 0;
  if constexpr (std::is_integral_v<T>) {
    // The distance of two numbers fits without a sign.
    const auto low = static_cast<uint64_t>(std::min(start, limit));
    const uint64_t span = static_cast<uint64_t>(std::max(start, limit)) - low;
    const uint64_t by = step > 0 ? static_cast<uint64_t>(step)
                                 : uint64_t{0} - static_cast<uint64_t>(step);
    const uint64_t count = span / by + (span % by != 0 ? 1 : 0);
    return count > INT64_MAX ? -1 : static_cast<int64_t>(count);
  } else {
    const T count = std::ceil(std::abs((limit - start) / step));
    return count < T{0x1p62} ? static_cast<int64_t>(count) : -1;
  }
}

// Integers wrap around, where a step leads past the largest.
template <class T>
Status FillRange(const Node& node) {
  using Sum =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                  std::type_identity<T>>::type;
  const auto step = static_cast<Sum>(*node.input(2)->As<T>());
  const int64_t size = node.output().shape.elements();
  if (RangeSize(*node.input(0)->As<T>(), *node.input(1)->As<T>(),
                *node.input(2)->As<T>()) != size) {
    return OtherShape(node);
  }
  auto value = static_cast<Sum>(*node.input(0)->As<T>());
  for (int64_t i = 0; i < size; ++i) {
    node.output().As<T>()[i] = static_cast<T>(value);
    value += step;
  }
  return {};
}

// Where the output has the axis that the indices have not.
size_t OneHotAxis(const Node& node) {
  const int64_t wanted = node.options.Int("axis", -1);
  return wanted < 0 ? node.input(0)->shape.rank : static_cast<size_t>(wanted);
}

// Calls use(i) for each element that is not zero.
template <class T, class Use>
void ForEachSet(const Tensor& condition, const Use& use) {
  const int64_t size = condition.shape.elements();
  for (int64_t i = 0; i < size; ++i) {
    if (condition.As<T>()[i] != T{0}) use(i);
  }
}

template <class Use>
void ForEachSet(const Tensor& condition, const Use& use) {
  switch (condition.type) {
    case Type::kFloat32:
      return ForEachSet<float>(condition, use);
    case Type::kInt64:
      return ForEachSet<int64_t>(condition, use);
    case Type::kInt32:
    case Type::kUInt32:
      return ForEachSet<int32_t>(condition, use);
    default:
      return ForEachSet<uint8_t>(condition, use);
  }
}

}  // namespace

Result<Needs> PrepareShape(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, node.output(), {Type::kInt32, Type::kInt64},
                   static_cast<int64_t>(node.input(0)->shape.rank)));
  return Needs{};
}

Status RunShape(const Node& node) {
  const Shape& shape = node.input(0)->shape;
  for (size_t i = 0; i < shape.rank; ++i) {
    PutInteger(node.output(), static_cast<int64_t>(i), shape[i]);
  }
  return {};
}

Result<Needs> PrepareRank(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, node.output(), {Type::kInt32}, 1));
  return Needs{};
}

Status RunRank(const Node& node) {
  PutInteger(node.output(), 0, static_cast<int64_t>(node.input(0)->shape.rank));
  return {};
}

Result<Needs> PrepareFill(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  if (SizeOf(node.output().type) == 0 ||
      node.output().type != node.input(1)->type) {
    return Unsupported(node, "these types have no code");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0), {Type::kInt32, Type::kInt64}));
  STOWPLAN_RETURN_IF_ERROR(CheckElements(node, *node.input(1), 1));
  return Needs{};
}

Status RunFill(const Node& node) {
  if (!AsksFor(*node.input(0), node.output().shape)) return OtherShape(node);
  const size_t element = SizeOf(node.output().type);
  std::byte* to = node.output().data;
  const int64_t size = node.output().shape.elements();
  for (int64_t i = 0; i < size; ++i, to += element) {
    std::memcpy(to, node.input(1)->data, element);
  }
  return {};
}

Result<Needs> PrepareRange(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, node.output(), {Type::kInt32, Type::kInt64, Type::kFloat32}));
  for (size_t i = 0; i < 3; ++i) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckNumbers(node, *node.input(i), {node.output().type}, 1));
  }
  return Needs{};
}

Status RunRange(const Node& node) {
  switch (node.output().type) {
    case Type::kInt32:
      return FillRange<int32_t>(node);
    case Type::kInt64:
      return FillRange<int64_t>(node);
    default:
      return FillRange<float>(node);
  }
}

Result<Needs> PrepareOneHot(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 4));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0), {Type::kInt32, Type::kInt64}));
  const Type type = node.output().type;
  if (SizeOf(type) == 0 || node.input(2)->type != type ||
      node.input(3)->type != type) {
    return Unsupported(node, "these types have no code");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(1), {Type::kInt32, Type::kInt64}, 1));
  for (size_t i = 2; i < 4; ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckElements(node, *node.input(i), 1));
  }
  const Shape& indices = node.input(0)->shape;
  const Shape& output = node.output().shape;
  const size_t axis = OneHotAxis(node);
  bool matches = output.rank == indices.rank + 1 && axis < output.rank;
  for (size_t i = 0; i < indices.rank && matches; ++i) {
    matches = indices[i] == output[i < axis ? i : i + 1];
  }
  if (!matches) return Unsupported(node, "indices and output do not match");
  return Needs{};
}

Status RunOneHot(const Node& node) {
  const Shape& indices = node.input(0)->shape;
  Tensor& output = node.output();
  const size_t axis = OneHotAxis(node);
  const int64_t depth = output.shape[axis];
  if (IntegerAt(*node.input(1), 0) != depth) return OtherShape(node);
  const int64_t inner = indices.Product(axis, indices.rank);
  const size_t element = SizeOf(output.type);
  std::byte* to = output.data;
  for (int64_t i = 0; i < output.shape.elements(); ++i, to += element) {
    const int64_t at = i / (depth * inner) * inner + i % inner;
    const bool on = IntegerAt(*node.input(0), at) == i / inner % depth;
    std::memcpy(to, node.input(on ? 2 : 3)->data, element);
  }
  return {};
}

Result<Needs> PrepareBroadcastArgs(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  for (size_t i = 0; i < 2; ++i) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, *node.input(i), {Type::kInt32, Type::kInt64}));
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, node.output(), {Type::kInt32, Type::kInt64},
                   std::max(node.input(0)->shape.elements(),
                            node.input(1)->shape.elements())));
  return Needs{};
}

Status RunBroadcastArgs(const Node& node) {
  const Tensor& a = *node.input(0);
  const Tensor& b = *node.input(1);
  const int64_t rank = node.output().shape.elements();
  const auto dim = [&](const Tensor& shape, int64_t i) {
    const int64_t missing = rank - shape.shape.elements();
    return i < missing ? 1 : IntegerAt(shape, i - missing);
  };
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t of_a = dim(a, i);
    PutInteger(node.output(), i, of_a == 1 ? dim(b, i) : of_a);
  }
  return {};
}

namespace {

// The numbers of one index of SPARSE_TO_DENSE.
int64_t DepthOf(const Node& node) {
  const Shape& indices = node.input(0)->shape;
  return indices.rank == 2 ? indices[1] : 1;
}

}  // namespace

Result<Needs> PrepareSparseToDense(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 4));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0), {Type::kInt32, Type::kInt64}));
  const Type type = node.output().type;
  if (SizeOf(type) == 0 || node.input(2)->type != type ||
      node.input(3)->type != type) {
    return Unsupported(node, "these types have no code");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(1), {Type::kInt32, Type::kInt64}));
  STOWPLAN_RETURN_IF_ERROR(CheckElements(node, *node.input(3), 1));
  const int64_t depth = DepthOf(node);
  if (depth != static_cast<int64_t>(node.output().shape.rank)) {
    return Unsupported(node, "an index has not one number for each axis");
  }
  if (node.input(2)->shape.elements() != 1) {
    STOWPLAN_RETURN_IF_ERROR(CheckElements(
        node, *node.input(2),
        node.input(0)->shape.elements() / std::max<int64_t>(depth, 1)));
  }
  return Needs{};
}

Status RunSparseToDense(const Node& node) {
  const Tensor& indices = *node.input(0);
  const Tensor& values = *node.input(2);
  Tensor& output = node.output();
  const size_t element = SizeOf(output.type);
  std::byte* to = output.data;
  for (int64_t i = 0; i < output.shape.elements(); ++i, to += element) {
    std::memcpy(to, node.input(3)->data, element);
  }
  if (!AsksFor(*node.input(1), output.shape)) return OtherShape(node);
  const int64_t depth = DepthOf(node);
  const int64_t count = depth == 0 ? 0 : indices.shape.elements() / depth;
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const auto axis = static_cast<size_t>(d);
      const int64_t index = IntegerAt(indices, i * depth + d);
      if (index < 0 || index >= output.shape[axis]) {
        return BadInput("SPARSE_TO_DENSE", "an index is out of range",
                        "check the indices that the model is given");
      }
      offset = offset * output.shape[axis] + index;
    }
    const int64_t from = values.shape.elements() == 1 ? 0 : i;
    std::memcpy(output.data + offset * static_cast<int64_t>(element),
                values.data + from * static_cast<int64_t>(element), element);
  }
  return {};
}

Result<Needs> PrepareWhere(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(), {Type::kInt64}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0),
                {Type::kBool, Type::kFloat32, Type::kInt32, Type::kInt64,
                 Type::kInt8, Type::kUInt8, Type::kUInt32}));
  return Needs{};
}

Status ShapesOfWhere(const Node& node, std::span<Shape> shapes) {
  STOWPLAN_RETURN_IF_ERROR(PrepareWhere(node));
  int64_t count = 0;
  ForEachSet(*node.input(0), [&](int64_t) { ++count; });
  shapes[0] = {};
  shapes[0].rank = 2;
  shapes[0][0] = count;
  shapes[0][1] = static_cast<int64_t>(node.input(0)->shape.rank);
  return {};
}

Status RunWhere(const Node& node) {
  const Shape& shape = node.input(0)->shape;
  auto* to = node.output().As<int64_t>();
  const int64_t* end = to + node.output().shape.elements();
  bool fits = true;
  ForEachSet(*node.input(0), [&](int64_t i) {
    fits = fits && static_cast<size_t>(end - to) >= shape.rank;
    if (!fits) return;
    for (size_t axis = 0; axis < shape.rank; ++axis) {
      *to++ = i / shape.Product(axis + 1, shape.rank) % shape[axis];
    }
  });
  if (!fits || to != end) return OtherShape(node);
  return {};
}

}  // namespace stowplan::kernels::reference
