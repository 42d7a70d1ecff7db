// SPDX-License-Identifier: Apache-2.0
//
// From a graph on which a test fails to a small one on which it still does.
#pragma once

#include <functional>

#include "stowplan/graph/model.h"

namespace stowplan::testing {

// Drops runs of operators (halves, quarters, ... as delta debugging does;
// what a dropped operator wrote becomes an input of the first subgraph, or a
// constant of another), then outputs, claims, scratch, calls, subgraphs and
// tensors that nobody uses, and halves sizes, for as long as `fails` stays
// true. Shapes then need no longer fit their operators; CheckModel holds for
// every model that `fails` sees.
// REQUIRES: CheckModel(model), fails(model); `fails` gives the same answer
// every time. Signatures are dropped.
graph::Model ShrinkGraph(graph::Model model,
                         const std::function<bool(const graph::Model&)>& fails);

}  // namespace stowplan::testing
