// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert_kernel.h"

#include <algorithm>
#include <cstdint>

#include "stowplan/base/checked_math.h"

namespace stowplan::engines {

const PreparedTensor& LiteRtKernel::At(size_t input) const {
  static const PreparedTensor kLeftOut;
  if (!Has(input)) return kLeftOut;
  return tensors_[op_.inputs[input].index()];
}

const graph::Shape& LiteRtKernel::OutputShape() const {
  static const graph::Shape kNoShape;
  if (op_.outputs.empty() || !op_.outputs[0].valid()) return kNoShape;
  return tensors_[op_.outputs[0].index()].shape;
}

const graph::Tensor* LiteRtKernel::Source(size_t input) const {
  return Has(input) ? &subgraph_.tensor(op_.inputs[input]) : nullptr;
}

bool LiteRtKernel::IsHybrid(size_t values, size_t weights,
                            std::initializer_list<DType> types) const {
  return TypeOf(values) == DType::kFloat32 &&
         std::find(types.begin(), types.end(), TypeOf(weights)) != types.end();
}

int64_t LiteRtKernel::Dim(const graph::Shape& shape, int axis) const {
  const int rank = static_cast<int>(shape.size());
  if (axis < 0) axis += rank;
  // LiteRT's dimensions have 32 bits, so that products of two fit here.
  if (axis < 0 || axis >= rank || shape[static_cast<size_t>(axis)] < 0 ||
      shape[static_cast<size_t>(axis)] > INT32_MAX) {
    known_ = false;
    return 0;
  }
  return shape[static_cast<size_t>(axis)];
}

int64_t LiteRtKernel::Elements(const graph::Shape& shape, int begin,
                               std::optional<int> end) const {
  const int rank = static_cast<int>(shape.size());
  int last = end.value_or(rank);
  if (last < 0) last += rank;
  if (begin < 0) begin += rank;
  if (begin < 0 || last > rank || begin > last) {
    known_ = false;
    return 0;
  }
  const auto product = CheckedProduct(std::span(shape).subspan(
      static_cast<size_t>(begin), static_cast<size_t>(last - begin)));
  if (!product) known_ = false;
  return product.value_or(0);
}

}  // namespace stowplan::engines
