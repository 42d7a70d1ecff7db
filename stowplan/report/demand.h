// SPDX-License-Identifier: Apache-2.0
//
// What an operator needs by itself: the buffers that it reads and writes,
// whatever else happens to be alive.
#pragma once

#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/graph/model.h"
#include "stowplan/plan/buffer.h"
#include "stowplan/plan/live_range.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::report {

class Demand {
 public:
  // REQUIRES: `needs` is of `model`; both outlive this.
  Demand(const graph::Model& model, const schedule::MemoryNeeds& needs);

  // The buffers that the operator of a step uses, and those that the
  // operators use which called its subgraph. Ascending. O(steps).
  std::vector<plan::BufferId> BuffersAt(plan::Step step) const;

  // A lower bound on the arena under every order of the operators: the most
  // that one operator and its callers need. Where the order decides whether
  // an operator may write over its input, it is taken to do so. 0 under the
  // rule kEngine, for which that is not known. O(model + steps).
  struct Floor {
    Bytes bytes = 0;  // Rounded to the alignment, as plan::LowerBound.
    plan::Step step = 0;
  };
  Floor OverAllOrders() const;

 private:
  void AppendOwn(plan::Step step, std::vector<plan::BufferId>* buffers) const;
  Bytes OwnBytes(plan::Step step) const;
  Bytes SavedInOtherOrder(graph::OperatorRef ref) const;

  const graph::Model& model_;
  const schedule::MemoryNeeds& needs_;
  // By subgraph, operator; null for none. If there are several, the last.
  std::vector<std::vector<const schedule::Refusal*>> refusal_of_;
  std::vector<plan::BufferId> scratch_;  // By step; invalid for none.
};

}  // namespace stowplan::report
