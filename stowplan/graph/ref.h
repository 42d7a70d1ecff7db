// SPDX-License-Identifier: Apache-2.0
//
// Tensors and operators named across the subgraphs of one model.
#pragma once

#include <compare>

#include "stowplan/graph/model.h"

namespace stowplan::graph {

struct TensorRef {
  SubgraphId subgraph;
  TensorId tensor;

  friend auto operator<=>(const TensorRef&, const TensorRef&) = default;
};

struct OperatorRef {
  SubgraphId subgraph;
  OperatorId op;

  friend auto operator<=>(const OperatorRef&, const OperatorRef&) = default;
};

}  // namespace stowplan::graph
