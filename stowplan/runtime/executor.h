// SPDX-License-Identifier: Apache-2.0
//
// Runs a program's operators in their order, control flow included. Without
// dynamic tensors it uses no heap.
#pragma once

#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/runtime/observer.h"
#include "stowplan/runtime/overflow.h"
#include "stowplan/runtime/program.h"

namespace stowplan::runtime {

class Executor {
 public:
  // All must outlive the executor. `called`, which may be null, says by
  // subgraph what CALL_ONCE ran already, where others share that knowledge.
  // `max_iterations` of all WHILE loops end a run with kBadInput.
  // REQUIRES: `program` is bound.
  Executor(Program& program, Overflow& overflow, std::vector<bool>* called,
           int64_t max_iterations);

  // Fills persistent memory: sets kernels up, folds constants.
  Status SetUp();
  // One run from the entry.
  Status Run(Observer* observer);
  // CALL_ONCE runs again.
  void Reset();

 private:
  Status RunSubgraph(graph::SubgraphId id);
  Status RunOperator(graph::OperatorRef ref);
  Status RunDynamic(graph::OperatorRef ref);

  Status RunControl(graph::OperatorRef ref);
  Status RunIf(graph::OperatorRef ref);
  Status RunWhile(graph::OperatorRef ref);
  Status CountIteration(graph::OperatorRef ref);
  Status RunCallOnce(graph::OperatorRef ref);
  Status RunCall(graph::OperatorRef ref, graph::SubgraphId callee, size_t skip);
  Status ReadVariable(graph::OperatorRef ref);
  Status AssignVariable(graph::OperatorRef ref);

  // Copies a value, unless both lie in the same bytes, and the shape where
  // `to` is dynamic.
  Status Copy(graph::TensorRef from, graph::TensorRef to);
  // Memory for a dynamic tensor of that shape.
  Status PlaceDynamic(graph::TensorRef tensor, const kernels::Shape& shape);

  const graph::Operator& OperatorOf(graph::OperatorRef ref) const {
    return program_.model().subgraph(ref.subgraph).operators[ref.op.index()];
  }

  Program& program_;
  Overflow& overflow_;
  Observer* observer_ = nullptr;
  int64_t max_iterations_;
  int64_t iterations_ = 0;  // Of this run.
  std::vector<bool> own_called_;
  std::vector<bool>& called_;  // By subgraph: CALL_ONCE ran it.
  // Bytes that each dynamic tensor holds in this run; by subgraph, tensor.
  std::vector<std::vector<Bytes>> held_;
};

}  // namespace stowplan::runtime
