// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/exact.h"

#include <algorithm>
#include <utility>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/plan/validate.h"
#include "stowplan/solve/search_budget.h"
#include "stowplan/solve/search_disjunction.h"
#include "stowplan/solve/search_model.h"
#include "stowplan/solve/search_portfolio.h"
#include "stowplan/solve/search_state.h"
#include "stowplan/solve/window.h"

namespace stowplan::solve {
namespace {

// Over this the pairs alone take gigabytes.
constexpr int64_t kMaxPairs = 60'000'000;
// Up to so many buffers the search for the whole gets further than windows.
constexpr size_t kLarge = 2'000;
// The search over disjunctions looks at all of them at every node.
constexpr size_t kMaxDisjunctionBuffers = 2'000;

class Ladder {
 public:
  Ladder(const plan::Problem& problem, const ExactOptions& options)
      : problem_(problem), options_(options) {
    outcome_.lower_bound =
        std::max(options.lower_bound, plan::LowerBound(problem).bytes);
    if (options.incumbent && !plan::Validate(problem, *options.incumbent)) {
      Improve(*options.incumbent);
    }
  }

  ExactOutcome Run() {
    if (Open()) Skylines();
    // What is left is for windows, and for the proof if that is still to come.
    const bool disjunctions =
        !exact_model_ && problem_.size() <= kMaxDisjunctionBuffers;
    Windows((options_.max_nodes - outcome_.nodes) / (disjunctions ? 2 : 1));
    if (Open() && disjunctions) Disjunctions();
    outcome_.exhausted = !Open();
    return std::move(outcome_);
  }

 private:
  // The highest peak that is still of use.
  Bytes Ceiling() const {
    Bytes ceiling = problem_.capacity().value_or(kNoHeight - 1);
    if (outcome_.plan) ceiling = std::min(ceiling, outcome_.peak - 1);
    return ceiling;
  }
  bool Open() const { return outcome_.lower_bound <= Ceiling(); }

  void Improve(plan::Plan plan) {
    outcome_.peak = plan::Peak(problem_, plan);
    outcome_.plan = std::move(plan);
  }

  void Report() const {
    if (!options_.progress) return;
    options_.progress({outcome_.nodes, outcome_.peak, outcome_.lower_bound});
  }

  // The search over skylines. If the model is not exact its bounds are not
  // those of the problem, but its plans are plans.
  void Skylines() {
    const std::optional<SearchModel> model =
        SearchModel::Create(problem_, kMaxPairs);
    if (!model) return;
    exact_model_ = model->exact;
    // The other searches get their share.
    ExactOptions own = options_;
    if (options_.windows && problem_.size() > kLarge) own.max_nodes /= 2;
    if (!model->exact) own.max_nodes /= 2;
    SearchPortfolio portfolio(*model, own);
    const Bytes unit = model->unit;
    Bytes lower =
        std::max((outcome_.lower_bound + unit - 1) / unit, model->alone);
    while (lower <= Ceiling() / unit) {
      const SearchPortfolio::Answer answer =
          portfolio.Run(lower, Ceiling() / unit, [this] { Report(); });
      outcome_.nodes = portfolio.nodes();
      outcome_.search_hash = portfolio.hash();
      if (answer.end == SearchEnd::kStopped) break;
      if (answer.end == SearchEnd::kFound) {
        Improve(model->ToPlan(problem_, answer.offsets));
      } else {
        lower = std::max(lower, answer.next_limit);
      }
      if (model->exact) Raise(lower, unit);
    }
    // Even where the loop was not entered.
    if (model->exact) Raise(lower, unit);
  }

  // kNoHeight stands for "at no height".
  void Raise(Bytes height, Bytes unit) {
    const Bytes proved = height == kNoHeight ? height : height * unit;
    outcome_.lower_bound = std::max(outcome_.lower_bound, proved);
  }

  void Windows(int64_t max_nodes) {
    if (!options_.windows || problem_.size() <= kLarge || !Open() ||
        !outcome_.plan || max_nodes <= 0) {
      return;
    }
    ExactOptions own = options_;
    own.max_nodes = max_nodes;
    own.incumbent = outcome_.plan;
    own.lower_bound = outcome_.lower_bound;
    WindowOutcome better = ImproveByWindows(problem_, own);
    outcome_.nodes += better.nodes;
    outcome_.search_hash ^= better.hash;
    if (better.peak < outcome_.peak) Improve(std::move(better.plan));
  }

  void Disjunctions() {
    SearchBudget budget(options_.max_nodes - outcome_.nodes, options_.deadline,
                        options_.stop);
    while (Open()) {
      DisjunctionOutcome found =
          SearchDisjunctions(problem_, outcome_.lower_bound, &budget);
      if (found.plan) {
        Improve(*std::move(found.plan));
      } else if (budget.stopped()) {
        break;
      } else {
        outcome_.lower_bound = found.next_bound;
      }
      Report();
    }
    outcome_.nodes += budget.nodes();
    outcome_.search_hash ^= budget.hash();
  }

  const plan::Problem& problem_;
  const ExactOptions& options_;
  bool exact_model_ = true;
  ExactOutcome outcome_;
};

}  // namespace

ExactOutcome SolveExact(const plan::Problem& problem,
                        const ExactOptions& options) {
  return Ladder(problem, options).Run();
}

}  // namespace stowplan::solve
