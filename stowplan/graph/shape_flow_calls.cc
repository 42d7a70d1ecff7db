// SPDX-License-Identifier: Apache-2.0
//
// Shapes through operators that call subgraphs. A subgraph has one shape a
// tensor, however often it is called: what calls differ in is left open. Each
// visit knows less than the one before or is skipped, and after a few of them
// nothing, so the work is bounded however callers are nested.
#include <algorithm>
#include <utility>

#include "stowplan/graph/shape_flow.h"

namespace stowplan::graph {
namespace {

// Visits of a subgraph after which nothing is known of its inputs.
constexpr int kMaxVisits = 4;

}  // namespace

Status ShapeFlow::RunCall(OperatorRef ref) {
  switch (At(ref).kind) {
    case OpKind::kIf:
    case OpKind::kStablehloCase:
      return RunBranches(ref, 1);
    case OpKind::kWhile:
    case OpKind::kStablehloWhile:
      return RunLoop(ref);
    default:
      return RunBranches(ref, 0);
  }
}

// One of the callees runs; the outputs are what all of them agree on.
Status ShapeFlow::RunBranches(OperatorRef ref, size_t own_operands) {
  const Operator& op = At(ref);
  States operands;
  for (size_t i = own_operands; i < op.inputs.size(); ++i) {
    operands.push_back(Operand(ref, i));
  }
  const RootPtr differ = std::make_shared<Root>(
      Root{ref, op.type + " calls subgraphs that give different shapes"});
  States results;
  for (size_t i = 0; i < op.callees.size(); ++i) {
    STOWPLAN_RETURN_IF_ERROR(Enter(op.callees[i], operands, ref));
    States own = Results(op.callees[i]);
    if (i == 0) {
      results = std::move(own);
      continue;
    }
    for (size_t k = 0; k < results.size(); ++k) {
      results[k] = Join(results[k], own[k], differ);
    }
  }
  return StoreResults(ref, results);
}

// Until what one iteration hands to the next is what it was handed.
Status ShapeFlow::RunLoop(OperatorRef ref) {
  const Operator& op = At(ref);
  const SubgraphId condition = op.callees[0];
  const SubgraphId body = op.callees[1];
  const Subgraph& inner = model_.subgraph(body);
  const RootPtr changes = std::make_shared<Root>(
      Root{ref, op.type + " changes the shape from one iteration to the next"});
  States carried;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    carried.push_back(Operand(ref, i));
    // Content lasts only where the body hands on what it is handed.
    if (i >= inner.outputs.size() || inner.outputs[i] != inner.inputs[i]) {
      carried[i].facts.value = std::nullopt;
    }
  }
  for (bool stable = false; !stable;) {
    STOWPLAN_RETURN_IF_ERROR(Enter(condition, carried, ref));
    STOWPLAN_RETURN_IF_ERROR(Enter(body, carried, ref));
    const States results = Results(body);
    stable = true;
    for (size_t i = 0; i < std::min(carried.size(), results.size()); ++i) {
      TensorState joined = Join(carried[i], results[i], changes);
      stable = stable && joined.facts.shape == carried[i].facts.shape;
      joined.facts.value = joined.facts.shape == carried[i].facts.shape
                               ? carried[i].facts.value
                               : std::nullopt;
      carried[i] = std::move(joined);
    }
  }
  return StoreResults(ref, carried);
}

Status ShapeFlow::Enter(SubgraphId callee, States operands,
                        OperatorRef caller) {
  const Subgraph& subgraph = model_.subgraph(callee);
  Visits& visits = visits_[callee.index()];
  const RootPtr differ = std::make_shared<Root>(
      Root{caller, "the subgraph is called with different shapes"});
  const size_t count = std::min(operands.size(), subgraph.inputs.size());
  operands.resize(count);
  bool news = visits.runs == 0;
  for (size_t i = 0; i < count; ++i) {
    const Tensor& tensor = subgraph.tensor(subgraph.inputs[i]);
    TensorState& state = operands[i];
    if (!IsKnown(state.facts.shape) && IsStated(tensor) && !state.touched) {
      state.facts.shape = tensor.shape;
      state.facts.value = std::nullopt;
      if (IsKnown(tensor.shape)) state.root = nullptr;
    }
    state.touched = IsTouched(tensor, state.facts.shape, state.touched);
    if (visits.runs == 0) continue;
    const TensorState& before = visits.inputs[i];
    state = Join(before, state, differ);
    news = news || !(state.facts == before.facts) ||
           state.touched != before.touched || state.resource != before.resource;
  }
  if (!news) return {};
  if (visits.runs >= kMaxVisits) {
    for (TensorState& state : operands) {
      state.facts = {};
      if (!state.root) state.root = differ;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    states_[callee.index()][subgraph.inputs[i].index()] = operands[i];
  }
  visits.inputs = std::move(operands);
  ++visits.runs;
  return RunOperators(callee);
}

ShapeFlow::States ShapeFlow::Results(SubgraphId callee) const {
  States results;
  for (TensorId id : model_.subgraph(callee).outputs) {
    results.push_back(states_[callee.index()][id.index()]);
  }
  return results;
}

Status ShapeFlow::StoreResults(OperatorRef ref, const States& results) {
  const Operator& op = At(ref);
  const bool operand_touched = AnyTouched(ref);
  for (size_t i = 0; i < std::min(op.outputs.size(), results.size()); ++i) {
    const Tensor& tensor = model_.subgraph(ref.subgraph).tensor(op.outputs[i]);
    TensorState state = results[i];
    const bool touched = operand_touched || state.touched;
    if (!IsKnown(state.facts.shape) && !touched) {
      if (IsStated(tensor)) {
        state.facts.shape = tensor.shape;
        state.root = nullptr;
      } else {
        state.facts.shape = FillIn(state.facts.shape, OpenShapeOf(tensor));
      }
    }
    if (!IsKnown(state.facts.shape)) state.facts.value = std::nullopt;
    state.touched = IsTouched(tensor, state.facts.shape, touched);
    STOWPLAN_RETURN_IF_ERROR(Store(ref, i, std::move(state)));
  }
  return {};
}

}  // namespace stowplan::graph
