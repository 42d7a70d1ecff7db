// SPDX-License-Identifier: Apache-2.0
//
// Walks a model in the order of execution and keeps what is known of each
// tensor. The model itself stays as it is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/graph/tensor_state.h"

namespace stowplan::graph {

class ShapeFlow {
 public:
  // REQUIRES: CheckModel(model); it outlives this.
  explicit ShapeFlow(const Model& model);

  // What an input of an entry point shall be, before Run.
  void SetInput(SubgraphId subgraph, TensorId input, Shape shape);

  // From all entry points. Errors as InferShapes.
  Status Run();

  const TensorState& State(SubgraphId subgraph, TensorId tensor) const {
    return states_[subgraph.index()][tensor.index()];
  }

 private:
  using States = std::vector<TensorState>;

  // Shapes of resource variables, from what is assigned to them.
  struct Variable {
    std::optional<Shape> shape;
    bool touched = false;
  };

  // How often a subgraph has run with less and less known of its inputs.
  struct Visits {
    int runs = 0;
    std::vector<TensorState> inputs;  // Of the last run.
  };

  Status RunEntry(SubgraphId subgraph);
  Status RunOperators(SubgraphId subgraph);
  Status RunOperator(OperatorRef ref);
  Status ApplyRule(OperatorRef ref);
  std::string DescribeInputs(OperatorRef ref) const;
  void AssignVariable(OperatorRef ref);
  Status ReadVariable(OperatorRef ref);

  Status RunCall(OperatorRef ref);
  Status RunBranches(OperatorRef ref, size_t own_operands);
  Status RunLoop(OperatorRef ref);
  // Runs `callee` unless it has run with no more known than that.
  Status Enter(SubgraphId callee, States operands, OperatorRef caller);
  States Results(SubgraphId callee) const;
  Status StoreResults(OperatorRef ref, const States& results);

  // Stores what is known of an output; the shape must fit.
  Status Store(OperatorRef ref, size_t output, TensorState state);
  TensorState Operand(OperatorRef ref, size_t input) const;
  bool AnyTouched(OperatorRef ref) const;
  // Why an input is not known; null if all are.
  RootPtr InheritedRoot(OperatorRef ref) const;
  // Why an output of the operator is not known.
  RootPtr RootOf(OperatorRef ref, const std::string& reason) const;

  const Operator& At(OperatorRef ref) const {
    return model_.subgraph(ref.subgraph).operators[ref.op.index()];
  }
  std::string PlaceOf(OperatorRef ref) const;

  const Model& model_;
  std::vector<States> states_;
  std::vector<Visits> visits_;
  std::map<TensorRef, Shape> overrides_;
  std::map<std::string, Variable> variables_;
};

}  // namespace stowplan::graph
