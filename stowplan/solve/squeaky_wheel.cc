// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/squeaky_wheel.h"

#include <optional>
#include <utility>
#include <vector>

#include "stowplan/solve/greedy.h"
#include "stowplan/solve/order.h"
#include "stowplan/solve/radix_order.h"
#include "stowplan/solve/sections.h"

namespace stowplan::solve {
namespace {

// Later rounds find little: of 40, the first four held the best plan of most
// instances.
constexpr int kRounds = 12;

enum class Move { kHalfWay, kToFront };

struct Start {
  Order order;
  Fit fit;
  Move move;
};

// Those that win most often first.
constexpr Start kStarts[] = {
    {Order::kBreadth, Fit::kLowest, Move::kHalfWay},
    {Order::kLoadLengthArea, Fit::kLowest, Move::kHalfWay},
    {Order::kBreadth, Fit::kLowest, Move::kToFront},
    {Order::kLoadLengthArea, Fit::kBest, Move::kHalfWay},
    {Order::kSizeThenBirth, Fit::kBest, Move::kToFront},
    {Order::kBreadth, Fit::kBest, Move::kToFront},
    {Order::kLoadLengthArea, Fit::kBest, Move::kToFront},
    {Order::kSizeThenBirth, Fit::kLowest, Move::kHalfWay},
};

// The order with all that ends above `level` moved forward; where a buffer
// that moves meets one that does not, it goes first.
std::vector<Index> Regrease(const plan::Problem& problem,
                            const std::vector<Index>& order,
                            const plan::Plan& plan, Bytes level, Move move) {
  std::vector<int64_t> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const plan::Buffer& buffer = problem.buffers()[order[i]];
    const auto place = static_cast<int64_t>(i);
    const bool squeaks =
        plan.offsets[order[i]] + buffer.size > level && buffer.size > 0;
    if (buffer.pinned) {
      rank[i] = -1;  // Always first.
    } else if (!squeaks) {
      rank[i] = 2 * place + 1;
    } else {
      rank[i] = move == Move::kHalfWay ? place : 0;
    }
  }
  RadixOrder moved(order.size());
  moved.By(rank);
  std::vector<Index> next(order.size());
  for (size_t i = 0; i < next.size(); ++i) next[i] = order[moved.indices()[i]];
  return next;
}

}  // namespace

void RunSqueakyWheel(const plan::Problem& problem, const Options& options,
                     int64_t max_placements, Incumbent* incumbent, Work* work) {
  const Sections sections(problem);
  const int64_t limit = work->placements + max_placements;
  for (const Start& start : kStarts) {
    std::vector<Index> order = MakeOrder(problem, sections, start.order);
    for (int round = 0; round < kRounds; ++round) {
      if (incumbent->Settled() || work->placements >= limit ||
          options.MustStop()) {
        return;
      }
      plan::Plan plan =
          *PlaceInOrder(problem, sections, order, start.fit, std::nullopt);
      work->placements += static_cast<int64_t>(problem.size());
      order =
          Regrease(problem, order, plan, incumbent->lower_bound(), start.move);
      if (incumbent->Offer(std::move(plan), "squeaky_wheel") &&
          options.progress) {
        options.progress({"greedy", incumbent->peak(), incumbent->lower_bound(),
                          work->nodes});
      }
    }
  }
}

}  // namespace stowplan::solve
