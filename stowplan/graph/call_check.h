// SPDX-License-Identifier: Apache-2.0
//
// The part of CheckModel that looks at which subgraph calls which.
#pragma once

#include <optional>

#include "stowplan/graph/check.h"
#include "stowplan/graph/model.h"

namespace stowplan::graph {

// A cycle of callees or a chain of more than kMaxCallDepth; nothing if there
// is neither. REQUIRES: all callees exist. O(operators).
std::optional<ModelFault> FindCallFault(const Model& model);

}  // namespace stowplan::graph
