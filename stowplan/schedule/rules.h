// SPDX-License-Identifier: Apache-2.0
//
// What the caller wants of the memory, apart from the graph itself.
#pragma once

#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/graph/ref.h"

namespace stowplan::schedule {

// What may happen to the bytes of an input or output once nobody in the graph
// needs them any more.
enum class Io {
  kRecycle,  // Other tensors may take them.
  kKeep,     // They stay readable until the run is over.
};

// When tensors may share bytes.
enum class InPlace {
  kOff,     // Every tensor has bytes of its own, views too.
  kSafe,    // Views share; overwrites where the whole alias class allows it.
  kEngine,  // As an engine claims that looks at the direct input only. Plans
            // made under this rule may be wrong; it exists to show that.
};

struct Rules {
  Bytes alignment = 64;  // Of every buffer; a power of two.
  Io inputs = Io::kRecycle;
  Io outputs = Io::kKeep;
  InPlace in_place = InPlace::kSafe;
  // DEQUANTIZE and DENSIFY of constants run once, into persistent memory.
  bool fold_constants = true;
  // Resource variables lie elsewhere, with others who use them: they have no
  // bytes in persistent memory.
  bool shared_variables = false;
  std::vector<graph::TensorRef> keep = {};  // Readable until the run is over.
  // Lie in the caller's memory: no other subgraph's tensor lies with them.
  std::vector<graph::TensorRef> outside = {};
  graph::SubgraphId entry = graph::SubgraphId(0);
};

}  // namespace stowplan::schedule
