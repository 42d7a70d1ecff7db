// SPDX-License-Identifier: Apache-2.0
//
// Whether everything that a run reads has a value by then. Planning does not
// need that: a file may leave a tensor without content.
#pragma once

#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"

namespace stowplan::runtime {

// Errors (kBadInput) name the first operator, output or variable for which it
// does not hold: an operand or an output that is no input, is not constant and
// was not written before; one that reads or assigns a variable without naming
// it. O(operands).
Status CheckValues(const graph::Model& model,
                   const std::vector<graph::SubgraphId>& reached);

}  // namespace stowplan::runtime
