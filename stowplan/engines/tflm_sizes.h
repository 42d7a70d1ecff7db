// SPDX-License-Identifier: Apache-2.0
//
// The bytes of tensors as TFLM counts them.
#pragma once

#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

// More than any arena holds; sizes beyond are refused, so that sums fit.
constexpr Bytes kTooManyBytes = Bytes{1} << 40;

// By tensor, the bytes of its value; 0 for constants, which need none. An
// element of less than a byte takes one, a tensor without a shape is a scalar,
// a resource an `int`. Shapes are those of the file, but that RESHAPE fills in
// one unknown dimension of its output.
// Errors: kBadInput for strings and other types without a size, for unknown
// dimensions and for sizes that do not fit. O(tensors + operators).
Result<std::vector<Bytes>> TflmBytesOf(const graph::Subgraph& subgraph);

// Whether the tensor has its content in the file.
inline bool IsMapped(const graph::Tensor& tensor) {
  return !tensor.variable && (tensor.constant || !tensor.data.empty());
}

}  // namespace stowplan::engines
