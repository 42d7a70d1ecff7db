// SPDX-License-Identifier: Apache-2.0
//
// When TFLM takes each buffer to be in use. One counter runs over the whole
// tree of calls, so that all subgraphs share one head:
//
//   step 0   the graph begins: its inputs
//        1   operator 0
//        2   operator 1, an IF
//        3     its first subgraph begins
//        4       its operator 0
//        5     its second subgraph begins
//        ...
//
// Only IF, WHILE and CALL_ONCE call. A tensor of a subgraph that nobody calls
// has no steps at all; all of those are planned as if in use together.
#pragma once

#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/engines/tflm.h"
#include "stowplan/graph/ref.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::engines {

struct TflmUse {
  int64_t first = -1;  // Inclusive.
  int64_t last = -1;
};

struct TflmUses {
  std::vector<std::vector<TflmUse>> tensors;    // By subgraph, tensor.
  std::vector<std::vector<TflmUse>> operators;  // By subgraph, operator: the
                                                // steps of its scratch.
  // By TFLM's step: the step of the timeline that it belongs to.
  std::vector<plan::Step> step_of;
};

// `timeline` is MakeTimeline's of the first subgraph.
// Errors: kBadInput if subgraphs call each other in a circle or so often that
// there are more than 2^21 steps. O(steps * operands).
Result<TflmUses> FindTflmUses(const graph::Model& model,
                              const schedule::Timeline& timeline);

}  // namespace stowplan::engines
