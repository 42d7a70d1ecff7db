// SPDX-License-Identifier: Apache-2.0
//
// The symbolic run behind ReplayPlan; not for other users.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "stowplan/engines/replay.h"
#include "stowplan/engines/replay_memory.h"

namespace stowplan::engines {

class Replayer {
 public:
  Replayer(const graph::Model& model, const Layout& layout,
           const ReplayOptions& options);

  Replay Run() &&;

 private:
  bool Full() const {
    return result_.violations.size() >= options_.most_violations;
  }
  const graph::Tensor& Tensor(graph::TensorRef ref) const {
    return model_.subgraph(ref.subgraph).tensor(ref.tensor);
  }

  void NoteUnjudged();
  void FindScratch();
  void FindProducers();
  // The visits of an operator's callees stand behind its own visit, in the
  // order in which the timeline enters them; returns the next free position.
  size_t EnterVisit(size_t visit);
  // Variables hold something before the first run.
  void WriteState();
  // The bytes of the variable that a handle names; null if the plan does not
  // place them.
  const Piece* VariableBehind(graph::TensorRef handle) const;

  void WriteNew(graph::OperatorRef op, graph::TensorRef tensor);
  void Read(graph::OperatorRef reader, graph::TensorRef tensor,
            plan::Step step);
  void Report(graph::OperatorRef reader, graph::TensorRef tensor,
              plan::Step step, const Loss& loss);

  // One operator, in replayer_operator.cc.
  void RunOperator(size_t visit, graph::OperatorRef ref, plan::Step step);
  void ReadOperands(graph::OperatorRef ref, const graph::Operator& op,
                    plan::Step step);
  bool ReadVariable(graph::OperatorRef ref, const graph::Operator& op,
                    plan::Step step);
  void AssignVariable(graph::OperatorRef ref, const graph::Operator& op);
  void WriteScratch(graph::OperatorRef ref, const graph::Operator& op,
                    plan::Step step);
  void CheckScratch(graph::OperatorRef ref, const graph::Operator& op,
                    plan::Step step);
  bool IsComputedOnce(graph::OperatorRef ref, const graph::Operator& op) const;
  void WriteOutputs(graph::OperatorRef ref, const graph::Operator& op,
                    plan::Step step);
  void CheckOperandsUnder(graph::OperatorRef ref, const graph::Operator& op,
                          size_t position, plan::Step step);
  void UpdateState(graph::OperatorRef ref, const graph::Operator& op);

  // Callees, in replayer_calls.cc.
  void RunVisit(size_t visit);
  void RunCallees(size_t visit, graph::OperatorRef ref,
                  const graph::Operator& op, plan::Step step);
  void RunLoop(size_t visit, graph::OperatorRef ref, const graph::Operator& op,
               plan::Step step);
  void RunBranches(size_t visit, graph::OperatorRef ref,
                   const graph::Operator& op, plan::Step step);
  // Copies the values of tensors to others, one after the other.
  void Copy(graph::OperatorRef ref, plan::Step step, graph::SubgraphId from,
            const std::vector<graph::TensorId>& sources, size_t skip,
            graph::SubgraphId to, const std::vector<graph::TensorId>& targets);
  size_t ChildOf(size_t visit, graph::OperatorRef ref, size_t callee) const {
    return children_[visit].at({ref.op.index(), callee});
  }

  const graph::Model& model_;
  const Layout& layout_;
  const ReplayOptions options_;
  ReplayMemory memory_;
  Replay result_;
  int run_ = 0;
  std::vector<std::vector<graph::OperatorId>> producers_;
  // By visit: operator and callee -> visit.
  std::vector<std::map<std::pair<size_t, size_t>, size_t>> children_;
  std::map<graph::OperatorRef, std::vector<const Piece*>> scratch_;
  std::vector<ValueId> scratch_values_;  // Of the operator that runs.
  // The second run repeats the faults of the first.
  std::set<std::pair<graph::OperatorRef, graph::TensorRef>> seen_;
};

}  // namespace stowplan::engines
