// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/proof_stage.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/solve/exact.h"
#include "stowplan/solve/greedy_portfolio.h"
#include "stowplan/solve/reduce.h"
#include "stowplan/solve/squeaky_wheel.h"

namespace stowplan::solve {
namespace {

// Up to so many buffers a node counts as one.
constexpr int64_t kFullPrice = 500;

// Over so many a dive to the first plan costs more than it is likely to give.
constexpr int64_t kFirstDive = 5'000;

// Of the squeaky wheel, per part: 25 rounds of 12,000 buffers.
constexpr int64_t kMaxPlacements = 300'000;

// The part, and a pillar of `level` units at a step of its own if its own
// bound is lower. The pillar makes every peak below that level worthless, so
// that no effort goes there, and keeps each bound that is proved an honest
// one of the whole problem.
plan::Problem WithPillar(const plan::Problem& part, Bytes level) {
  if (plan::LowerBound(part).bytes >= level) return part;
  std::vector<plan::Buffer> buffers = part.buffers();
  plan::Step last = 0;
  for (const plan::Buffer& buffer : buffers) {
    last = std::max(last, buffer.live.end);
  }
  plan::Buffer& pillar = buffers.emplace_back();
  pillar.size = level;
  pillar.live = {last, last + 1};
  pillar.pinned = 0;
  Result<plan::Problem> problem =
      plan::Problem::Create(std::move(buffers), part.capacity());
  // The sum of all sizes may come to lie over the limit.
  return problem ? *std::move(problem) : part;
}

class ProofStage {
 public:
  ProofStage(const plan::Problem& problem, const Options& options,
             Incumbent* incumbent, Work* work)
      : problem_(problem),
        options_(options),
        quiet_(options),
        incumbent_(incumbent),
        work_(work),
        level_(incumbent->lower_bound()) {
    // Parts count in units of their own; only the search's are told in bytes.
    quiet_.progress = nullptr;
  }

  void Run() {
    const Reduction reduction = Reduce(problem_, level_);
    std::vector<plan::Plan> plans;
    std::string solver = "reduce";  // What is dropped needs no solver.
    for (const Part& part : reduction.parts) {
      const Incumbent own = SolvePart(part);
      plans.push_back(*own.plan());
      if (plans.size() == 1) solver = own.solver();
    }
    incumbent_->Offer(Restore(problem_, reduction, plans), solver);
    incumbent_->RaiseBound(level_);
  }

 private:
  // The best plan of a part that is found, and the level raised to what is
  // proved on the way.
  Incumbent SolvePart(const Part& part) {
    const Bytes level = level_ / part.scale;
    Incumbent own(part.problem, level);
    if (incumbent_->plan()) {
      auto plan = PlanOfPart(part, *incumbent_->plan());
      if (plan) own.Offer(*std::move(plan), incumbent_->solver());
    }
    RunAllGreedy(part.problem, quiet_, &own, work_);
    // Small parts are the search's: what it cannot settle comes after it.
    const bool small = part.problem.size() <= size_t{kFullPrice};
    if (!small) Regrease(part, &own);
    if (!own.Settled() && !options_.MustStop()) Search(part, level, &own);
    if (small) Regrease(part, &own);
    return own;
  }

  void Regrease(const Part& part, Incumbent* own) {
    RunSqueakyWheel(part.problem, quiet_, kMaxPlacements, own, work_);
  }

  void Search(const Part& part, Bytes level, Incumbent* own) {
    const plan::Problem problem = WithPillar(part.problem, level);
    ExactOptions exact;
    exact.max_nodes = NodesLeft(part);
    exact.deadline = options_.deadline;
    exact.stop = options_.cancel;
    exact.threads = options_.threads;
    // Windows of very large parts cost more than nodes can price: only where
    // the clock ends them.
    exact.windows = part.problem.size() <= size_t{kFirstDive} ||
                    options_.deadline.has_value();
    if (own->FitsCapacity()) {
      exact.incumbent = own->plan();
      exact.incumbent->offsets.resize(problem.size());  // The pillar lies at 0.
    }
    if (options_.progress) {
      exact.progress = [&](const ExactProgress& now) {
        const Bytes peak = now.peak > 0 ? now.peak : own->peak().value_or(0);
        options_.progress({"search", InBytes(peak, part),
                           std::max(level_, InBytes(now.lower_bound, part)),
                           work_->nodes + now.nodes});
      };
    }
    ExactOutcome found = SolveExact(problem, exact);
    work_->nodes += found.nodes;
    work_->hash = (work_->hash ^ found.search_hash) * 0x100000001B3u;
    if (found.plan) {
      found.plan->offsets.resize(part.problem.size());
      own->Offer(*std::move(found.plan), "exact");
    }
    level_ = std::max(level_, InBytes(found.lower_bound, part));
  }

  // A bound of a part. One that says "at no height" stays just that.
  static Bytes InBytes(Bytes units, const Part& part) {
    constexpr Bytes kNever = Bytes{1} << 62;  // Over every capacity.
    return units < kNever / part.scale ? units * part.scale : kNever;
  }

  // What is left of the effort, at this part's price for a node: a node of a
  // large part costs as much more as there are more buffers and as they have
  // more neighbours. Up to kFirstDive buffers it is enough to place each of
  // them once, with some steps back.
  int64_t NodesLeft(const Part& part) const {
    const auto buffers = static_cast<int64_t>(part.problem.size());
    const int64_t left = std::max<int64_t>(options_.effort - work_->nodes, 0);
    if (buffers <= kFullPrice) return left;
    // Without overflow: efforts up to 2^63 are allowed.
    const auto scaled = [buffers](int64_t nodes) {
      return nodes / buffers * kFullPrice +
             nodes % buffers * kFullPrice / buffers;
    };
    const int64_t nodes = std::min(scaled(left), 4 * scaled(scaled(left)));
    const int64_t dive = buffers <= kFirstDive ? buffers + buffers / 8 : 0;
    return std::min(left, std::max(nodes, dive));
  }

  const plan::Problem& problem_;
  const Options& options_;
  Options quiet_;
  Incumbent* incumbent_;
  Work* work_;
  Bytes level_;  // Proved for the whole problem.
};

}  // namespace

void RunProofStage(const plan::Problem& problem, const Options& options,
                   Incumbent* incumbent, Work* work) {
  if (incumbent->plan() && incumbent->Settled()) return;
  ProofStage(problem, options, incumbent, work).Run();
}

}  // namespace stowplan::solve
