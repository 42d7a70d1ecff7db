// SPDX-License-Identifier: Apache-2.0
//
// Which buffers nobody reads any more, for those who poison dead bytes.
#pragma once

#include <vector>

#include "stowplan/graph/ref.h"
#include "stowplan/runtime/program.h"

namespace stowplan::runtime {

class DyingBuffers {
 public:
  explicit DyingBuffers(const Program& program);

  // The buffers whose last reader it is.
  const std::vector<plan::BufferId>& After(graph::OperatorRef op) const {
    return after_[op.subgraph.index()][op.op.index()];
  }

 private:
  std::vector<std::vector<std::vector<plan::BufferId>>> after_;
};

}  // namespace stowplan::runtime
