// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/greedy.h"

#include "stowplan/solve/arena_map.h"

namespace stowplan::solve {

std::optional<plan::Plan> PlaceInOrder(const plan::Problem& problem,
                                       const Sections& sections,
                                       std::span<const Index> order, Fit fit,
                                       std::optional<Bytes> give_up,
                                       const std::function<bool()>& stop) {
  constexpr size_t kPlacementsPerQuestion = 256;
  size_t placed = 0;
  ArenaMap arena(sections.count());
  plan::Plan plan;
  plan.offsets.resize(problem.size());
  for (Index index : order) {
    if (stop && ++placed % kPlacementsPerQuestion == 0 && stop()) {
      return std::nullopt;
    }
    const plan::Buffer& buffer = problem.buffers()[index];
    const std::span<const Piece> pieces = sections.PiecesOf(index);
    Bytes& offset = plan.offsets[index];
    if (buffer.pinned) {
      offset = *buffer.pinned;
    } else if (fit == Fit::kBest && pieces.size() == 1 &&
               pieces.front().begin == 0) {
      offset = arena.BestFit(pieces.front(), buffer.alignment);
    } else {
      offset = arena.LowestFit(pieces, buffer.alignment);
    }
    if (buffer.size == 0) continue;
    if (give_up && offset + buffer.size >= *give_up) return std::nullopt;
    arena.Take(pieces, offset);
  }
  return plan;
}

}  // namespace stowplan::solve
