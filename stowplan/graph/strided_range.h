// SPDX-License-Identifier: Apache-2.0
//
// What STRIDED_SLICE takes of each dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stowplan/graph/shape_context.h"

namespace stowplan::graph {

// One dimension of the operand or of the result.
struct StridedRange {
  // The operand's dimension; nothing for one that the result adds.
  std::optional<size_t> axis;
  int64_t begin = 0;  // Clamped.
  int64_t stride = 1;
  int64_t count = kUnknownDim;  // Elements taken.
  bool shrink = false;          // The result drops the dimension.
};

// The ranges, in the order of the dimensions. Nothing if not even the rank of
// the result is known, or the operator is impossible (the context fails).
std::optional<std::vector<StridedRange>> StridedRangesOf(ShapeContext& c);

}  // namespace stowplan::graph
