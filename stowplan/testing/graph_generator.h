// SPDX-License-Identifier: Apache-2.0
//
// Model graphs out of a seed, with all that planners get wrong: views of
// views, overwrites, skips over many steps, outputs that nobody reads, state,
// scratch and subgraphs that are called.
#pragma once

#include <cstdint>

#include "stowplan/graph/model.h"

namespace stowplan::testing {

// What GenerateGraph may use. Percentages are per operator and are tried in
// this order; what is left over are elementwise operators.
struct GraphOptions {
  int operators = 12;       // Of each subgraph, about.
  int64_t max_dim = 16;     // Of the inputs; a chain of operators may add some.
  int skip_percent = 30;    // Operands from anywhere, not from nearby.
  int view_percent = 20;    // RESHAPE, EXPAND_DIMS, SQUEEZE.
  int split_percent = 10;   // Several outputs, some of which nobody reads.
  int join_percent = 10;    // CONCATENATION.
  int dense_percent = 10;   // FULLY_CONNECTED with constant weights.
  int custom_percent = 10;  // Claims of its own, scratch, 1-3 outputs.
  int variable_percent = 5;  // Reads a state.
  int call_percent = 0;      // IF, WHILE, CALL; callees call at half of it.
  int max_call_depth = 2;
};

// The same for the same arguments on every machine. The model keeps
// CheckModel, and its shapes are those that InferShapes computes, where a rule
// can know them. At least one operator, input and output. O(operators^2).
graph::Model GenerateGraph(uint64_t seed, const GraphOptions& options = {});

}  // namespace stowplan::testing
