// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/greedy_portfolio.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/solve/greedy.h"
#include "stowplan/solve/order.h"
#include "stowplan/solve/sections.h"
#include "stowplan/solve/sweep.h"

namespace stowplan::solve {
namespace {

// Greedy placements that a portfolio may spend: all orders up to 11,000
// buffers, and one order at least.
constexpr int64_t kMaxPlacements = 300'000;

struct Greedy {
  Order order;
  Fit fit;
};

Greedy GreedyOf(Solver solver) {
  switch (solver) {
    case Solver::kFirstFit:
      return {Order::kBirth, Fit::kLowest};
    case Solver::kGreedyBySizeBestFit:
      return {Order::kSizeThenBirth, Fit::kBest};
    case Solver::kGreedyByBreadth:
      return {Order::kBreadth, Fit::kLowest};
    case Solver::kLargeFirst:
      return {Order::kLargeFirst, Fit::kBest};
    default:
      return {Order::kSizeThenBirth, Fit::kLowest};
  }
}

// The name a person knows, or one made of the order and the fit.
std::string NameOf(const Greedy& greedy) {
  for (Solver solver :
       {Solver::kFirstFit, Solver::kGreedyBySize, Solver::kGreedyBySizeBestFit,
        Solver::kGreedyByBreadth, Solver::kLargeFirst}) {
    const Greedy named = GreedyOf(solver);
    if (named.order == greedy.order && named.fit == greedy.fit) {
      return std::string(ToString(solver));
    }
  }
  return "greedy_" + std::string(ToString(greedy.order)) +
         (greedy.fit == Fit::kBest ? "_best_fit" : "_lowest_fit");
}

bool HasGaps(const plan::Problem& problem) {
  return std::any_of(problem.buffers().begin(), problem.buffers().end(),
                     [](const plan::Buffer& b) { return !b.gaps.empty(); });
}

// What PlaceInOrder comes to, but in one sweep. REQUIRES: no gaps.
plan::Plan FirstFit(const plan::Problem& problem, const Sections& sections,
                    const std::vector<Index>& births) {
  plan::Plan plan;
  plan.offsets.resize(problem.size());
  std::vector<bool> is_fixed(problem.size());
  for (size_t i = 0; i < problem.size(); ++i) {
    const std::optional<Bytes> pinned = problem.buffers()[i].pinned;
    is_fixed[i] = pinned.has_value();
    plan.offsets[i] = pinned.value_or(0);
  }
  SweepAround(problem, sections, births, is_fixed, &plan);
  return plan;
}

}  // namespace

void RunGreedy(const plan::Problem& problem, Solver solver,
               Incumbent* incumbent, Work* work) {
  const Sections sections(problem);
  const Greedy greedy = GreedyOf(solver);
  const std::vector<Index> order = MakeOrder(problem, sections, greedy.order);
  plan::Plan plan = solver == Solver::kFirstFit && !HasGaps(problem)
                        ? FirstFit(problem, sections, order)
                        : *PlaceInOrder(problem, sections, order, greedy.fit);
  work->placements += static_cast<int64_t>(problem.size());
  incumbent->Offer(std::move(plan), NameOf(greedy));
}

void RunAllGreedy(const plan::Problem& problem, const Options& options,
                  Incumbent* incumbent, Work* work) {
  // Birth order first: where several plans are as good, people expect the one
  // that starts at the bottom with the first buffer.
  if (2 * problem.size() <= size_t{kMaxPlacements}) {
    RunGreedy(problem, Solver::kFirstFit, incumbent, work);
  }
  const Sections sections(problem);
  for (Order order : Orders()) {
    const std::vector<Index> indices = MakeOrder(problem, sections, order);
    for (Fit fit : {Fit::kLowest, Fit::kBest}) {
      // Without any plan there would be nothing to answer, so the first one
      // is made whatever the budget says.
      if (incumbent->plan() &&
          (incumbent->Settled() || work->placements > kMaxPlacements ||
           options.MustStop())) {
        return;
      }
      std::optional<plan::Plan> plan =
          PlaceInOrder(problem, sections, indices, fit, incumbent->peak(),
                       [&] { return incumbent->plan() && options.MustStop(); });
      work->placements += static_cast<int64_t>(problem.size());
      if (!plan) continue;
      incumbent->Offer(*std::move(plan), NameOf({order, fit}));
      if (options.progress) {
        options.progress({"greedy", incumbent->peak(), incumbent->lower_bound(),
                          work->nodes});
      }
    }
  }
}

}  // namespace stowplan::solve
