// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/tensor_state.h"

#include <algorithm>

#include "stowplan/base/checked_math.h"
#include "stowplan/graph/constant_value.h"

namespace stowplan::graph {

bool IsStated(const Tensor& tensor) {
  if (tensor.constant || tensor.bytes) return true;
  return IsKnown(tensor.shape) && IsKnown(tensor.signature);
}

const std::optional<Shape> OpenShapeOf(const Tensor& tensor) {
  return tensor.signature.empty() ? tensor.shape : tensor.signature;
}

bool FollowsContent(DType dtype) {
  switch (dtype) {
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt32:
    case DType::kUInt64:
    case DType::kBool:
      return true;
    default:  // Narrower integers are quantised numbers.
      return false;
  }
}

TensorState InitialState(const Tensor& tensor) {
  TensorState state;
  state.facts.shape = tensor.shape;
  if (FollowsContent(tensor.dtype)) state.facts.value = IntegersOf(tensor);
  return state;
}

std::optional<Shape> FillIn(const std::optional<Shape>& shape,
                            const std::optional<Shape>& hint) {
  if (!shape) return hint;
  if (!hint || hint->size() != shape->size()) return shape;
  Shape filled = *shape;
  for (size_t i = 0; i < filled.size(); ++i) {
    if (filled[i] == kUnknownDim) filled[i] = (*hint)[i];
  }
  return filled;
}

namespace {

std::optional<Shape> JoinShapes(const std::optional<Shape>& a,
                                const std::optional<Shape>& b) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  Shape joined = *a;
  for (size_t i = 0; i < joined.size(); ++i) {
    if (joined[i] != (*b)[i]) joined[i] = kUnknownDim;
  }
  return joined;
}

std::optional<KnownInts> JoinValues(const std::optional<KnownInts>& a,
                                    const std::optional<KnownInts>& b) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  KnownInts joined = *a;
  for (size_t i = 0; i < joined.size(); ++i) {
    if (joined[i] != (*b)[i]) joined[i] = kUnknownInt;
  }
  return joined;
}

}  // namespace

TensorState Join(const TensorState& a, const TensorState& b,
                 const RootPtr& root) {
  TensorState joined;
  joined.facts.shape = JoinShapes(a.facts.shape, b.facts.shape);
  if (IsKnown(joined.facts.shape)) {
    joined.facts.value = JoinValues(a.facts.value, b.facts.value);
  }
  joined.touched = a.touched || b.touched;
  joined.root = a.root ? a.root : b.root;
  if (!joined.root && !(joined.facts == a.facts)) joined.root = root;
  if (a.resource == b.resource) joined.resource = a.resource;
  return joined;
}

bool IsTouched(const Tensor& tensor, const std::optional<Shape>& shape,
               bool from_touched) {
  if (from_touched && FollowsContent(tensor.dtype)) return true;
  // A dimension that the file leaves open has no value to differ from.
  if (!IsStated(tensor) || !IsKnown(tensor.shape)) return from_touched;
  return shape != tensor.shape;
}

bool SizeFits(DType dtype, const std::optional<Shape>& shape) {
  if (!IsKnown(shape) || BitsOf(dtype) == 0) return true;
  const std::optional<int64_t> elements = CheckedProduct(*shape);
  return elements && BytesOf(dtype, *elements);
}

}  // namespace stowplan::graph
