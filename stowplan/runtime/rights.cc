// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/rights.h"

#include <algorithm>

#include "stowplan/base/checked_math.h"
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

Status CheckAlignment(Bytes alignment) {
  if (alignment >= 16) return {};
  return UsageError("alignment " + std::to_string(alignment),
                    "kernels need buffers at multiples of 16", "use 64, say");
}

Status CheckNeeds(const kernels::Needs& needs, Bytes alignment,
                  const std::string& place) {
  constexpr Bytes kMost = Bytes{1} << 40;
  if (needs.scratch < 0 || needs.scratch > kMost || needs.persistent < 0 ||
      needs.persistent > kMost || !IsPowerOfTwo(needs.alignment) ||
      needs.alignment > 64) {
    return UsageError(
        place,
        "its kernel asks for " + std::to_string(needs.scratch) +
            " bytes of scratch and " + std::to_string(needs.persistent) +
            " persistent ones, aligned to " + std::to_string(needs.alignment),
        "sizes are from 0 to 2^40, the alignment is a power of "
        "two up to 64");
  }
  const bool has_bytes = needs.scratch > 0 || needs.persistent > 0;
  if (!has_bytes || needs.alignment <= alignment) return {};
  return UsageError(
      place,
      "its kernel needs an alignment of " + std::to_string(needs.alignment),
      "plan with that at least");
}

}  // namespace stowplan::runtime
