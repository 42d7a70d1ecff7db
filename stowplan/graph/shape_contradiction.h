// SPDX-License-Identifier: Apache-2.0
//
// Whether the shapes of an operator's outputs are those that follow from its
// inputs. Inference believes what a file states; who writes to memory of that
// shape must not.
#pragma once

#include <optional>
#include <string>

#include "stowplan/graph/model.h"

namespace stowplan::graph {

// What speaks against the shapes of the operator's tensors as they are, as
// half a sentence behind the operator's place: the rule of shapes refuses the
// inputs, or gives an output another shape than it has. Nothing if all agrees,
// as far as constants and shapes decide it, or no rule is known. O(dimensions
// + small constants).
std::optional<std::string> ShapeContradiction(const Subgraph& subgraph,
                                              const Operator& op);

}  // namespace stowplan::graph
