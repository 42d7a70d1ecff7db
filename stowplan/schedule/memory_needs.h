// SPDX-License-Identifier: Apache-2.0
//
// What a model needs in memory: from the graph to the packing problem.
//
//   graph::Model --MakeTimeline--> steps
//                --ClassifyTensors--> kinds
//                --FindLiveRanges--> live ranges
//                --FindAliases--> classes
//                --FindLoopArguments--> classes that lie with another
//                --here--> buffers, plan::Problem, and the rest by name
#pragma once

#include <optional>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/ref.h"
#include "stowplan/plan/problem.h"
#include "stowplan/schedule/aliases.h"
#include "stowplan/schedule/kinds.h"
#include "stowplan/schedule/liveness.h"
#include "stowplan/schedule/rules.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::schedule {

// What lies in one buffer of the arena.
struct BufferContent {
  // One alias class; its root first. Behind the class of a loop's output,
  // those of its condition's and body's arguments that lie in its bytes.
  std::vector<graph::TensorRef> tensors;
  graph::OperatorRef scratch_of;  // Valid for scratch, which has none.
  Bytes bytes = 0;                // Before rounding to the alignment.
};

struct MemoryNeeds {
  Rules rules;
  Timeline timeline;
  Kinds kinds;
  std::vector<std::vector<TensorUse>> uses;    // By subgraph, tensor.
  std::vector<AliasClasses> aliases;           // By subgraph.
  std::vector<std::vector<Refusal>> refusals;  // By subgraph.

  // The arena. Buffer sizes are rounded up to the alignment: a kernel may
  // read or write whole units, and plans can be put side by side.
  plan::Problem problem;
  std::vector<BufferContent> contents;                 // By BufferId.
  std::vector<std::vector<plan::BufferId>> buffer_of;  // Subgraph, tensor.

  // Persistent memory: one behind the other, since nothing in it ever dies.
  std::vector<std::vector<std::optional<Bytes>>> persistent_offset;
  Bytes persistent_bytes = 0;

  Bytes mapped_bytes = 0;  // Constants; bytes that several share count once.
  // The arena without any reuse: every tensor and scratch has a place of its
  // own, rounded up to the alignment.
  Bytes naive_bytes = 0;
  Bytes max_live_bytes = 0;  // Most that is alive at one step, not rounded.
};

// Errors: kBadInput where sizes do not fit or a rule names a tensor that is
// not there. `known` as for ClassifyTensors. O((model + steps) log steps).
Result<MemoryNeeds> FindMemoryNeeds(const graph::Model& model,
                                    const Rules& rules,
                                    const std::vector<Dynamic>& known = {});

}  // namespace stowplan::schedule
