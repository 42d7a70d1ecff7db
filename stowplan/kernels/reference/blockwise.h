// SPDX-License-Identifier: Apache-2.0
//
// Float rows times integer weights that have a scale for each block of their
// depth, in the arithmetic of LiteRT's kernel for them: each row is quantised
// with a scale and a zero point of its own; the sum of a block is exact, and
// blocks are added up as floats in their order.
//
//   out = (sum over blocks of scale * sum(q * w)
//          - zero * sum over blocks of scale * sum(w)) * row scale + bias
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

// REQUIRES: scales in half precision, `rows` rows of the weights' depth. Uses
// no memory beside the stack. O(rows * units * depth).
void MultiplyByBlocks(const Node& node, int64_t rows);

}  // namespace stowplan::kernels::reference
