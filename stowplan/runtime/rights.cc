// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/rights.h"

#include <algorithm>

#include "stowplan/graph/op_kind.h"

namespace stowplan::runtime {

using graph::InPlaceClaim;
using graph::Sharing;

std::optional<InPlaceClaim> ClaimOf(const graph::Subgraph& subgraph,
                                    const graph::Operator& op, uint8_t rights) {
  const graph::OpTraits& traits = graph::TraitsOf(op.kind);
  if (op.in_place || traits.sharing == Sharing::kView || op.outputs.empty() ||
      !op.outputs[0].valid()) {
    return std::nullopt;
  }
  const graph::Tensor& output = subgraph.tensor(op.outputs[0]);
  const bool known = traits.sharing == Sharing::kOverwrite;
  bool same = true;
  std::optional<size_t> first;
  const size_t count = std::min<size_t>(op.inputs.size(), 8);
  for (size_t i = 0; i < count; ++i) {
    if (!op.inputs[i].valid()) continue;
    const graph::Tensor& input = subgraph.tensor(op.inputs[i]);
    if (input.constant || input.shape != output.shape) continue;
    const bool by_table = known && traits.MayShare(i);
    const bool by_kernel = (rights >> i & 1) != 0;
    same = same && by_table == by_kernel;
    if (by_kernel && !first) first = i;
  }
  if (same) return std::nullopt;
  if (!first) return InPlaceClaim{InPlaceClaim::Kind::kNone, 0};
  return InPlaceClaim{InPlaceClaim::Kind::kOverwrite, *first};
}

}  // namespace stowplan::runtime
