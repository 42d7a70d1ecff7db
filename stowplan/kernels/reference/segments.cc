// SPDX-License-Identifier: Apache-2.0
//
// Rows folded by the segment that a list names for each: SEGMENT_SUM and the
// unsorted kin.
#include <algorithm>
#include <cstring>
#include <limits>

#include "stowplan/kernels/reference/making.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

// SEGMENT_SUM counts its segments itself.
bool HasCount(const Node& node) { return node.type != "SEGMENT_SUM"; }

}  // namespace

Result<Needs> PrepareSegments(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0), {Type::kFloat32, Type::kInt32}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(1), {Type::kInt32}));
  if (node.output().type != node.input(0)->type) {
    return Unsupported(node, "input and output differ in type");
  }
  const Shape& data = node.input(0)->shape;
  const Shape& segments = node.input(1)->shape;
  const Shape& output = node.output().shape;
  bool matches = segments.rank <= data.rank && output.rank >= 1;
  for (size_t i = 0; i < segments.rank && matches; ++i) {
    matches = segments[i] == data[i];
  }
  if (!matches || output.Product(1, output.rank) !=
                      data.Product(segments.rank, data.rank)) {
    return Unsupported(node, "data, segments and output do not match");
  }
  if (HasCount(node)) {
    STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
    STOWPLAN_RETURN_IF_ERROR(
        CheckNumbers(node, *node.input(2), {Type::kInt32, Type::kInt64}, 1));
  }
  return Needs{};
}

namespace {

// Segments may have any number of axes; one below zero is left out.
template <class T, class Fold>
Status FoldSegments(const Node& node, T start, const Fold& fold) {
  const Tensor& segments = *node.input(1);
  Tensor& output = node.output();
  const Shape& shape = node.input(0)->shape;
  const int64_t inner = shape.Product(segments.shape.rank, shape.rank);
  std::fill_n(output.As<T>(), output.shape.elements(), start);
  for (int64_t i = 0; i < segments.shape.elements(); ++i) {
    const int64_t segment = IntegerAt(segments, i);
    if (segment < 0) continue;
    if (segment >= output.shape[0]) {
      return BadInput(std::string(node.type), "a segment is out of range",
                      "check the segments that the model is given");
    }
    for (int64_t k = 0; k < inner; ++k) {
      T& to = output.As<T>()[segment * inner + k];
      to = fold(to, node.input(0)->As<T>()[i * inner + k]);
    }
  }
  return {};
}

template <class T>
Status RunSegmentsOf(const Node& node) {
  const std::string_view type = node.type;
  if (type == "UNSORTED_SEGMENT_PROD") {
    return FoldSegments<T>(node, T{1},
                           [](T a, T b) { return MultiplyWrapped(a, b); });
  }
  if (type == "UNSORTED_SEGMENT_MAX") {
    return FoldSegments<T>(node, std::numeric_limits<T>::lowest(),
                           [](T a, T b) { return std::max(a, b); });
  }
  if (type == "UNSORTED_SEGMENT_MIN") {
    return FoldSegments<T>(node, std::numeric_limits<T>::max(),
                           [](T a, T b) { return std::min(a, b); });
  }
  return FoldSegments<T>(node, T{0}, [](T a, T b) { return AddWrapped(a, b); });
}

}  // namespace

Status RunSegments(const Node& node) {
  if (HasCount(node) &&
      IntegerAt(*node.input(2), 0) != node.output().shape[0]) {
    return OtherShape(node);
  }
  return node.input(0)->type == Type::kFloat32 ? RunSegmentsOf<float>(node)
                                               : RunSegmentsOf<int32_t>(node);
}

}  // namespace stowplan::kernels::reference
