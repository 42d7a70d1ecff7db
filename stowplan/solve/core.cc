// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/core.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/solve/greedy_portfolio.h"
#include "stowplan/solve/order.h"
#include "stowplan/solve/sections.h"
#include "stowplan/solve/squeaky_wheel.h"
#include "stowplan/solve/sweep.h"

namespace stowplan::solve {
namespace {

constexpr int kMaxRounds = 8;
// Of the squeaky wheel, per round.
constexpr int64_t kMaxPlacements = 100'000;

class Core {
 public:
  Core(const plan::Problem& problem, Bytes bound)
      : problem_(problem),
        sections_(problem),
        births_(MakeOrder(problem, sections_, Order::kBirth)),
        is_critical_(static_cast<size_t>(sections_.count())) {
    const std::vector<Bytes> load = sections_.Load();
    for (size_t i = 0; i < load.size(); ++i) {
      is_critical_[i] = load[i] >= bound - bound / 4;
    }
    Choose();
  }

  // How many buffers are in it.
  size_t size() const { return ids_.size(); }

  plan::Problem AsProblem() const {
    std::vector<plan::Buffer> buffers;
    buffers.reserve(ids_.size());
    for (Index id : ids_) buffers.push_back(problem_.buffers()[id]);
    // A part of a valid problem is valid.
    return *plan::Problem::Create(std::move(buffers));
  }

  plan::Plan PourAround(const plan::Plan& of_core) const {
    plan::Plan plan;
    plan.offsets.resize(problem_.size());
    for (size_t i = 0; i < ids_.size(); ++i) {
      plan.offsets[ids_[i]] = of_core.offsets[i];
    }
    SweepAround(problem_, sections_, births_, is_inside_, &plan);
    return plan;
  }

  // Takes in all that was poured to above `peak`, and those around it. False
  // if there is nothing of that kind.
  bool GrowWhere(const plan::Plan& plan, Bytes peak) {
    bool grown = false;
    for (size_t i = 0; i < problem_.size(); ++i) {
      if (is_inside_[i]) continue;
      if (plan.offsets[i] + problem_.buffers()[i].size <= peak) continue;
      const Piece span = sections_.SpanOf(static_cast<Index>(i));
      std::fill(is_critical_.begin() + span.first,
                is_critical_.begin() + span.last, true);
      grown |= span.first < span.last;
    }
    if (grown) Choose();
    return grown;
  }

 private:
  // Those that live through a critical section, and those that a sweep cannot
  // place.
  void Choose() {
    std::vector<int32_t> before(is_critical_.size() + 1);
    for (size_t i = 0; i < is_critical_.size(); ++i) {
      before[i + 1] = before[i] + is_critical_[i];
    }
    ids_.clear();
    is_inside_.assign(problem_.size(), false);
    for (size_t i = 0; i < problem_.size(); ++i) {
      const plan::Buffer& buffer = problem_.buffers()[i];
      const Piece span = sections_.SpanOf(static_cast<Index>(i));
      if (!buffer.pinned && buffer.gaps.empty() &&
          before[static_cast<size_t>(span.first)] ==
              before[static_cast<size_t>(span.last)]) {
        continue;
      }
      is_inside_[i] = true;
      ids_.push_back(static_cast<Index>(i));
    }
  }

  const plan::Problem& problem_;
  const Sections sections_;
  const std::vector<Index> births_;
  std::vector<bool> is_critical_;  // By section.
  std::vector<bool> is_inside_;    // By buffer.
  std::vector<Index> ids_;
};

}  // namespace

void RunCore(const plan::Problem& problem, const Options& options,
             Incumbent* incumbent, Work* work) {
  Core core(problem, incumbent->lower_bound());
  for (int round = 0; round < kMaxRounds; ++round) {
    if (core.size() == problem.size()) return;  // Nothing is left to pour.
    const plan::Problem inner = core.AsProblem();
    Incumbent of_core(inner, plan::LowerBound(inner).bytes);
    RunAllGreedy(inner, options, &of_core, work);
    RunSqueakyWheel(inner, options, kMaxPlacements, &of_core, work);
    plan::Plan plan = core.PourAround(*of_core.plan());
    work->placements += static_cast<int64_t>(problem.size());
    const bool grown = core.GrowWhere(
        plan, std::max(*of_core.peak(), incumbent->lower_bound()));
    incumbent->Offer(std::move(plan), "core");
    if (!grown || incumbent->Settled() || options.MustStop()) return;
    if (options.progress) {
      options.progress(
          {"core", incumbent->peak(), incumbent->lower_bound(), work->nodes});
    }
  }
}

}  // namespace stowplan::solve
