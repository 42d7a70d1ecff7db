// SPDX-License-Identifier: Apache-2.0
//
// The steps of one run: the operators of the entry subgraph in their order,
// and behind each operator that calls subgraphs the steps of those, one after
// the other. A callee's tensors so lie in the holes that its caller's live
// tensors leave, and two branches of which only one runs share bytes.
//
//   main:  conv   IF           add       step 0  conv   (main)
//                 |- then: a b                1  IF     (main)   <- its inputs
//                 '- else: c                  2  a      (then)      and outputs
//                                             3  b      (then)      are live
//                                             4  c      (else)      from 1 to 4
//                                             5  add    (main)
#pragma once

#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/ref.h"
#include "stowplan/plan/live_range.h"

namespace stowplan::schedule {

// One run of an operator. A callee without operators has one step, which is
// its caller's.
struct StepInfo {
  graph::OperatorRef op;
  plan::LiveRange span;  // From this step to the last of its callees.
};

// One run of a subgraph: its steps, callees included.
struct Visit {
  graph::SubgraphId subgraph;
  plan::LiveRange steps;
  // For each operator of the subgraph, the step at which it runs.
  std::vector<plan::Step> step_of;
};

struct Timeline {
  std::vector<StepInfo> steps;
  std::vector<Visit> visits;  // The entry's first; a callee may have several.

  plan::Step end() const { return static_cast<plan::Step>(steps.size()); }
};

// Errors: kBadInput if subgraphs call each other so often that a run enters
// more than 2^16 of them or has more than 2^20 steps. O(steps).
Result<Timeline> MakeTimeline(const graph::Model& model,
                              graph::SubgraphId entry);

// The subgraphs that run, each once, in the order of their first visit.
std::vector<graph::SubgraphId> ReachedSubgraphs(const Timeline& timeline);

}  // namespace stowplan::schedule
