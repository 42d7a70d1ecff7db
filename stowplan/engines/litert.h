// SPDX-License-Identifier: Apache-2.0
//
// LiteRT (TensorFlow Lite) without delegates: what it will take for a model.
#pragma once

#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

// Every piece of memory of a run that starts at `entry`, as ai-edge-litert
// 2.3.0 places it with its built-in kernels on one thread:
// - One arena and one persistent arena for each subgraph that the run
//   reaches; offsets count from their starts.
// - Phases: "allocate", what AllocateTensors takes, and "run", with what is
//   placed or sized only then. Both give the arenas together.
// - Heap: what kernels size while the model runs, and small constants that
//   are computed while preparing.
// - An input of a callee that is its caller's tensor is an alias of it.
// `model` has its shapes inferred as far as possible; what LiteRT needs and
// the model does not say is in the notes.
// Errors: kBadInput if sizes do not fit. O(model + tensors^2 of a subgraph).
Result<Layout> PlanLiteRt(const graph::Model& model,
                          graph::SubgraphId entry = graph::SubgraphId(0));

// What the arenas hold after one more resize of the inputs.
struct LiteRtResize {
  Bytes needed = 0;     // What these shapes need by themselves.
  Bytes held = 0;       // What is held: never less than before.
  Bytes transient = 0;  // At most, while the old block is copied into the new.
};

// The entry's arena through a sequence of input shapes, one model each (the
// same graph with other shapes). LiteRT decides lives and sharing once, with
// the first shapes; each resize places anew, grows the block to exactly what
// is needed (new block, copy, free) and never shrinks it. A sharing that is
// dropped because sizes differ is not taken up again, and the tensor then
// lives to the end. Errors: kBadInput if the models are not of one graph.
Result<std::vector<LiteRtResize>> ResizeLiteRt(
    const std::vector<graph::Model>& shapes,
    graph::SubgraphId entry = graph::SubgraphId(0));

}  // namespace stowplan::engines
