// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/lines.h"

namespace stowplan::report {

std::string ToLines(const Document& document) {
  std::string text;
  for (const TensorRow& row : document.tensors) {
    const bool scratch = row.kind == schedule::Kind::kScratch;
    if (!scratch && row.kind != schedule::Kind::kArena) continue;
    if (!row.offset) continue;  // There is no plan.
    text += "ArenaAlloc: ";
    text += scratch ? "scratch_of=" + std::to_string(row.owner.value_or(-1))
                    : "tensor=" + std::to_string(row.tensor.value_or(-1));
    text += " size=" + std::to_string(row.bytes);
    text += " offset=" + std::to_string(*row.offset);
    if (row.subgraph > 0) text += " subgraph=" + std::to_string(row.subgraph);
    text += "\n";
  }
  return text + "TotalArenaSize: " + std::to_string(document.arena.bytes) +
         "\n";
}

}  // namespace stowplan::report
