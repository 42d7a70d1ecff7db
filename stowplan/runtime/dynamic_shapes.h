// SPDX-License-Identifier: Apache-2.0
//
// The output shapes of one operator, once its inputs have been computed.
#pragma once

#include <span>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/runtime/bound_graph.h"

namespace stowplan::runtime {

// Into `shapes`, one for each output. Uses the heap: only operators whose
// size no plan can know come here. Errors: kBadInput where the inputs do not
// decide the shapes either.
Status FindOutputShapes(const graph::Subgraph& subgraph,
                        const graph::Operator& op, const BoundOperator& bound,
                        std::span<kernels::Shape> shapes);

}  // namespace stowplan::runtime
