// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/timeline.h"

#include <set>
#include <string>
#include <utility>

namespace stowplan::schedule {
namespace {

using graph::OperatorId;
using graph::OperatorRef;
using graph::SubgraphId;
using plan::Step;

constexpr size_t kMostSteps = size_t{1} << 20;
constexpr size_t kMostVisits = size_t{1} << 16;

class Walker {
 public:
  explicit Walker(const graph::Model& model) : model_(model) {}

  Status Visit(SubgraphId id, OperatorRef caller) {
    const graph::Subgraph& subgraph = model_.subgraph(id);
    if (timeline_.visits.size() >= kMostVisits) return TooLong(id);
    const size_t visit = timeline_.visits.size();
    timeline_.visits.push_back({id, {Now(), Now()}, {}});
    std::vector<Step> step_of;
    step_of.reserve(subgraph.operators.size());
    for (size_t i = 0; i < subgraph.operators.size(); ++i) {
      STOWPLAN_TRY(step, Run({id, OperatorId::FromIndex(i)}));
      step_of.push_back(step);
    }
    if (subgraph.operators.empty()) {
      timeline_.steps.push_back({caller, {Now(), Now() + 1}});
    }
    timeline_.visits[visit].steps.end = Now();
    timeline_.visits[visit].step_of = std::move(step_of);
    return {};
  }

  Timeline Take() && { return std::move(timeline_); }

 private:
  Step Now() const { return timeline_.end(); }

  static Status TooLong(SubgraphId id) {
    return BadInput("subgraph " + std::to_string(id.value()),
                    "a run would enter more than 2^16 subgraphs or have more "
                    "than 2^20 steps, since they call each other over and "
                    "over",
                    "plan the callees on their own");
  }

  // Appends the step of one operator and those of its callees.
  Result<Step> Run(OperatorRef ref) {
    if (timeline_.steps.size() >= kMostSteps) {
      return tl::unexpected(TooLong(ref.subgraph).error());
    }
    const Step step = Now();
    timeline_.steps.push_back({ref, {step, step + 1}});
    const graph::Operator& op =
        model_.subgraph(ref.subgraph).operators[ref.op.index()];
    for (SubgraphId callee : op.callees) {
      STOWPLAN_RETURN_IF_ERROR(Visit(callee, ref));
    }
    timeline_.steps[static_cast<size_t>(step)].span.end = Now();
    return step;
  }

  const graph::Model& model_;
  Timeline timeline_;
};

}  // namespace

Result<Timeline> MakeTimeline(const graph::Model& model, SubgraphId entry) {
  Walker walker(model);
  STOWPLAN_RETURN_IF_ERROR(walker.Visit(entry, {entry, OperatorId()}));
  return std::move(walker).Take();
}

std::vector<SubgraphId> ReachedSubgraphs(const Timeline& timeline) {
  std::set<SubgraphId> seen;
  std::vector<SubgraphId> reached;
  for (const Visit& visit : timeline.visits) {
    if (seen.insert(visit.subgraph).second) reached.push_back(visit.subgraph);
  }
  return reached;
}

}  // namespace stowplan::schedule
