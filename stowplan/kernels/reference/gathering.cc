// SPDX-License-Identifier: Apache-2.0
//
// Elements picked by indices that are data.
#include <cstring>

#include "stowplan/kernels/reference/movement.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

int64_t ElementOf(const Tensor& tensor) {
  return static_cast<int64_t>(SizeOf(tensor.type));
}

Status CheckPicked(const Node& node, const Tensor& values,
                   const Tensor& indices) {
  if (SizeOf(values.type) == 0 || node.output().type != values.type) {
    return Unsupported(node, "elements of this type cannot be moved");
  }
  return CheckType(node, indices, {Type::kInt32, Type::kInt64, Type::kInt16});
}

Status BadIndex(const Node& node, int64_t index, int64_t size) {
  return BadInput(std::string(node.type),
                  "the index " + std::to_string(index) + " is outside of [0, " +
                      std::to_string(size) + ")",
                  "check the indices that the model is given");
}

// The element that a tuple of indices names, along the leading axes.
// -1 - axis if one is out of range.
int64_t OffsetOf(const Tensor& indices, int64_t first, int64_t depth,
                 const Shape& shape) {
  int64_t offset = 0;
  for (int64_t d = 0; d < depth; ++d) {
    const auto axis = static_cast<size_t>(d);
    const int64_t index = IntegerAt(indices, first + d);
    if (index < 0 || index >= shape[axis]) return -1 - d;
    offset += index * shape.Product(axis + 1, shape.rank);
  }
  return offset;
}

}  // namespace

namespace {

size_t BatchDimsOf(const Node& node) {
  return AxisOf(node.options.Int("batch_dims", 0), node.input(1)->shape.rank);
}

}  // namespace

Result<Needs> PrepareGather(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckPicked(node, *node.input(0), *node.input(1)));
  const size_t rank = node.input(0)->shape.rank;
  const size_t axis = AxisOf(node.options.Int("axis", 0), rank);
  if (axis >= rank) {
    return Unsupported(node, "the axis is outside of the input");
  }
  const Shape& values = node.input(0)->shape;
  const Shape& indices = node.input(1)->shape;
  const size_t shared = BatchDimsOf(node);
  bool matches = shared <= axis && shared <= indices.rank;
  for (size_t i = 0; i < shared && matches; ++i) {
    matches = values[i] == indices[i];
  }
  if (!matches) {
    return Unsupported(node, "values and indices share no such batches");
  }
  return Needs{};
}

Status RunGather(const Node& node) {
  const Tensor& values = *node.input(0);
  const Tensor& indices = *node.input(1);
  const size_t axis = AxisOf(node.options.Int("axis", 0), values.shape.rank);
  const size_t shared = BatchDimsOf(node);
  const int64_t batches = values.shape.Product(0, shared);
  const int64_t outer = values.shape.Product(shared, axis);
  const int64_t size = values.shape[axis];
  const int64_t inner =
      values.shape.Product(axis + 1, values.shape.rank) * ElementOf(values);
  const int64_t count = indices.shape.Product(shared, indices.shape.rank);
  std::byte* to = node.output().data;
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t o = 0; o < outer; ++o) {
      const std::byte* from = values.data + (b * outer + o) * size * inner;
      for (int64_t i = 0; i < count; ++i, to += inner) {
        const int64_t index = IntegerAt(indices, b * count + i);
        if (index < 0 || index >= size) return BadIndex(node, index, size);
        std::memcpy(to, from + index * inner, static_cast<size_t>(inner));
      }
    }
  }
  return {};
}

Result<Needs> PrepareGatherNd(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckPicked(node, *node.input(0), *node.input(1)));
  const Shape& indices = node.input(1)->shape;
  if (indices.rank == 0 ||
      indices.last() > static_cast<int64_t>(node.input(0)->shape.rank)) {
    return Unsupported(node, "the indices name more axes than there are");
  }
  return Needs{};
}

Status RunGatherNd(const Node& node) {
  const Tensor& values = *node.input(0);
  const Tensor& indices = *node.input(1);
  const int64_t depth = indices.shape.last();
  const int64_t slice =
      values.shape.Product(static_cast<size_t>(depth), values.shape.rank) *
      ElementOf(values);
  const int64_t count = indices.shape.Product(0, indices.shape.rank - 1);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t offset = OffsetOf(indices, i * depth, depth, values.shape);
    if (offset < 0) {
      const int64_t axis = -1 - offset;
      return BadIndex(node, IntegerAt(indices, i * depth + axis),
                      values.shape[static_cast<size_t>(axis)]);
    }
    std::memcpy(node.output().data + i * slice,
                values.data + offset * ElementOf(values),
                static_cast<size_t>(slice));
  }
  return {};
}

Result<Needs> PrepareScatterNd(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  STOWPLAN_RETURN_IF_ERROR(CheckPicked(node, *node.input(1), *node.input(0)));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(1),
                {Type::kFloat32, Type::kInt32, Type::kInt64, Type::kInt8,
                 Type::kUInt8, Type::kBool}));
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(2), {Type::kInt32, Type::kInt64},
                   static_cast<int64_t>(node.output().shape.rank)));
  const Shape& indices = node.input(0)->shape;
  const Shape& output = node.output().shape;
  if (indices.rank == 0 || indices.last() > static_cast<int64_t>(output.rank)) {
    return Unsupported(node, "the indices name more axes than there are");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckElements(
      node, *node.input(1),
      indices.Product(0, indices.rank - 1) *
          output.Product(static_cast<size_t>(indices.last()), output.rank)));
  return Needs{};
}

namespace {

// Updates of the same element add up.
template <class T>
Status Scatter(const Node& node) {
  const Tensor& indices = *node.input(0);
  const T* updates = node.input(1)->As<T>();
  Tensor& output = node.output();
  const int64_t depth = indices.shape.last();
  const int64_t slice =
      output.shape.Product(static_cast<size_t>(depth), output.shape.rank);
  const int64_t count = indices.shape.Product(0, indices.shape.rank - 1);
  std::fill_n(output.As<T>(), output.shape.elements(), T{0});
  for (int64_t i = 0; i < count; ++i) {
    const int64_t offset = OffsetOf(indices, i * depth, depth, output.shape);
    if (offset < 0) {
      const int64_t axis = -1 - offset;
      return BadIndex(node, IntegerAt(indices, i * depth + axis),
                      output.shape[static_cast<size_t>(axis)]);
    }
    T* to = output.As<T>() + offset;
    for (int64_t k = 0; k < slice; ++k) {
      if constexpr (std::is_same_v<T, bool>) {
        to[k] = to[k] || updates[i * slice + k];
      } else {
        to[k] = AddWrapped(to[k], updates[i * slice + k]);
      }
    }
  }
  return {};
}

}  // namespace

Status RunScatterNd(const Node& node) {
  if (!AsksFor(*node.input(2), node.output().shape)) {
    return BadInput("SCATTER_ND",
                    "the data ask for another shape than the model states",
                    "leave the shape open in the model");
  }
  switch (node.output().type) {
    case Type::kFloat32:
      return Scatter<float>(node);
    case Type::kInt64:
      return Scatter<int64_t>(node);
    case Type::kInt32:
      return Scatter<int32_t>(node);
    case Type::kInt8:
      return Scatter<int8_t>(node);
    case Type::kBool:
      return Scatter<bool>(node);
    default:
      return Scatter<uint8_t>(node);
  }
}

namespace {

// The scale of element `k` of a row: one for the row, or one for a block.
float RowScaleAt(const Tensor& table, int64_t row, int64_t k) {
  const Quantization& quantization = table.quantization;
  if (quantization.block_size == 0) return quantization.ScaleOf(row);
  const int64_t blocks =
      table.shape.Product(1, table.shape.rank) / quantization.block_size;
  return FromHalf(quantization.half_scales[static_cast<size_t>(
      row * blocks + k / quantization.block_size)]);
}

}  // namespace

Result<Needs> PrepareEmbedding(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kInt32}));
  const Tensor& table = *node.input(1);
  const bool hybrid =
      node.output().type == Type::kFloat32 &&
      IsOneOf(table.type, {Type::kInt8, Type::kUInt8, Type::kInt4});
  if (table.shape.rank < 1) return Unsupported(node, "the table has no rows");
  if (hybrid) {
    STOWPLAN_RETURN_IF_ERROR(table.quantization.block_size == 0
                                 ? CheckScales(node, table, table.shape[0])
                                 : CheckBlocks(node, table, table.shape[0]));
  }
  if (!hybrid &&
      (table.type != node.output().type || SizeOf(table.type) == 0)) {
    return Unsupported(node, "these types have no code");
  }
  return Needs{};
}

Status RunEmbedding(const Node& node) {
  const Tensor& keys = *node.input(0);
  const Tensor& table = *node.input(1);
  const int64_t rows = table.shape[0];
  const int64_t depth = table.shape.Product(1, table.shape.rank);
  const bool hybrid = table.type != node.output().type;
  for (int64_t i = 0; i < keys.shape.elements(); ++i) {
    const int64_t key = IntegerAt(keys, i);
    if (key < 0 || key >= rows) return BadIndex(node, key, rows);
    if (!hybrid) {
      const int64_t bytes = depth * ElementOf(table);
      std::memcpy(node.output().data + i * bytes, table.data + key * bytes,
                  static_cast<size_t>(bytes));
      continue;
    }
    float* to = node.output().As<float>() + i * depth;
    for (int64_t k = 0; k < depth; ++k) {
      int16_t value = 0;
      const int64_t at = key * depth + k;
      if (table.type == Type::kInt4) {
        value = NibbleAt(table.data, at);
      } else if (table.type == Type::kInt8) {
        value = table.As<int8_t>()[at];
      } else {
        value = table.As<uint8_t>()[at];
      }
      to[k] = static_cast<float>(value) * RowScaleAt(table, key, k);
    }
  }
  return {};
}

}  // namespace stowplan::kernels::reference
