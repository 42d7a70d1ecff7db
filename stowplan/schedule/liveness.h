// SPDX-License-Identifier: Apache-2.0
//
// Live ranges: from the step that writes a tensor to the last that needs it.
#pragma once

#include <vector>

#include "stowplan/graph/ref.h"
#include "stowplan/plan/live_range.h"
#include "stowplan/schedule/rules.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::schedule {

struct TensorUse {
  plan::LiveRange live;           // Empty if no run touches the tensor.
  graph::OperatorId producer;     // Invalid: an input, a constant, unused.
  graph::OperatorId last_reader;  // Invalid: nobody reads it.
};

// By subgraph, tensor. The rules, beside "from its producer to its last
// reader, both included":
// - An input of the entry lives from step 0; of a callee, from its first step.
// - An output of the entry lives to the end (unless outputs are recycled); of
//   a callee, to its last step, after which the caller copies it.
// - An output that nobody reads lives while its operator runs: one step.
// - What an operator with callees reads and writes lives through all steps of
//   the callees.
// - A subgraph that runs several times has the hull of its ranges.
// O(steps + tensors).
std::vector<std::vector<TensorUse>> FindLiveRanges(const graph::Model& model,
                                                   const Timeline& timeline,
                                                   const Rules& rules);

}  // namespace stowplan::schedule
