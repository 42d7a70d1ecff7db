// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/shape_contradiction.h"

#include <vector>

#include "stowplan/graph/shape_rules.h"
#include "stowplan/graph/tensor_state.h"

namespace stowplan::graph {
namespace {

// Dimensions that the rule leaves open may be anything.
bool Agree(const Shape& ruled, const Shape& stored) {
  if (ruled.size() != stored.size()) return false;
  for (size_t i = 0; i < ruled.size(); ++i) {
    if (ruled[i] != kUnknownDim && ruled[i] != stored[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> ShapeContradiction(const Subgraph& subgraph,
                                              const Operator& op) {
  const ShapeRule* rule = ShapeRuleOf(op);
  if (rule == nullptr || rule->shape == nullptr) return std::nullopt;
  std::vector<TensorFacts> facts(op.inputs.size());
  std::vector<const TensorFacts*> inputs(op.inputs.size(), nullptr);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.inputs[i].valid()) continue;
    facts[i] = InitialState(subgraph.tensor(op.inputs[i])).facts;
    inputs[i] = &facts[i];
  }
  ShapeContext context(subgraph, op, std::move(inputs),
                       std::vector<TensorFacts>(op.outputs.size()));
  rule->shape(context);
  if (context.failed()) return context.error();
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!op.outputs[i].valid()) continue;
    const std::optional<Shape>& stored = subgraph.tensor(op.outputs[i]).shape;
    const std::optional<Shape>& ruled = context.OutShape(i);
    if (!stored || !ruled || Agree(*ruled, *stored)) continue;
    return PlaceOf(subgraph, op.outputs[i]) + " has the shape " +
           ToString(*stored) + ", but the inputs give " + ToString(*ruled);
  }
  return std::nullopt;
}

}  // namespace stowplan::graph
