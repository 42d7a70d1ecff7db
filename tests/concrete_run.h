// SPDX-License-Identifier: Apache-2.0
//
// A second opinion on a plan, by other means than the judge's: the graph is
// run with real bytes in the memory that the plan gives it.
#pragma once

#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"

namespace stowplan {

// Whether every operator finds the operands that it would find if each tensor
// had bytes of its own, and the outputs are right at the end. Operators write
// byte by byte while they read, upwards in one run and downwards in another.
// For graphs of one subgraph without state whose tensors are all placed.
// O(bytes^2).
bool RunsRight(const graph::Model& model, const engines::Layout& layout);

}  // namespace stowplan
