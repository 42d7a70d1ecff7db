// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/value_check.h"

#include <algorithm>
#include <string>

namespace stowplan::runtime {
namespace {

using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;

constexpr char kRemedy[] = "convert the model again";

std::string PlaceOf(SubgraphId id, size_t op, const graph::Operator& what) {
  return "subgraph " + std::to_string(id.value()) + ", operator " +
         std::to_string(op) + " (" + what.type + ")";
}

// Nobody misses the value of a tensor without elements.
bool NeedsNone(const graph::Tensor& tensor) {
  if (!tensor.shape) return false;
  for (int64_t dim : *tensor.shape) {
    if (dim == 0) return true;
  }
  return false;
}

// Operands that the executor itself takes for granted.
struct Arity {
  size_t inputs = 0;
  size_t outputs = 0;
};
Arity LeastArity(const graph::Operator& op) {
  switch (op.kind) {
    // All operands are handed over, the condition of IF is read. A loop hands
    // its results on.
    case OpKind::kIf:
      return {std::max<size_t>(op.inputs.size(), 1), 0};
    case OpKind::kWhile:
      return {std::max(op.inputs.size(), op.outputs.size()), op.inputs.size()};
    case OpKind::kCall:
    case OpKind::kStablehloComposite:
      return {op.inputs.size(), 0};
    case OpKind::kVarHandle:
      return {0, 1};
    case OpKind::kReadVariable:
      return {1, 1};
    case OpKind::kAssignVariable:
      return {2, 0};
    default:
      return {};
  }
}

bool HasFirst(const std::vector<TensorId>& tensors, size_t count) {
  if (tensors.size() < count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!tensors[i].valid()) return false;
  }
  return true;
}

Status CheckSubgraph(const graph::Subgraph& subgraph, SubgraphId id) {
  std::vector<bool> known(subgraph.tensors.size());
  for (size_t t = 0; t < known.size(); ++t) {
    const graph::Tensor& tensor = subgraph.tensors[t];
    known[t] = !tensor.data.empty() || tensor.variable || NeedsNone(tensor);
  }
  for (TensorId input : subgraph.inputs) {
    if (input.valid()) known[input.index()] = true;
  }
  for (size_t i = 0; i < subgraph.operators.size(); ++i) {
    const graph::Operator& op = subgraph.operators[i];
    const Arity least = LeastArity(op);
    if (!HasFirst(op.inputs, least.inputs) ||
        !HasFirst(op.outputs, least.outputs)) {
      return BadInput(PlaceOf(id, i, op), "it lacks an operand", kRemedy);
    }
    for (TensorId input : op.inputs) {
      if (!input.valid() || known[input.index()]) continue;
      return BadInput(PlaceOf(id, i, op),
                      "it reads " + graph::PlaceOf(subgraph, input) +
                          ", which has no content and is never written",
                      kRemedy);
    }
    for (TensorId output : op.outputs) {
      if (output.valid()) known[output.index()] = true;
    }
  }
  for (TensorId output : subgraph.outputs) {
    if (!output.valid() || known[output.index()]) continue;
    return BadInput("subgraph " + std::to_string(id.value()),
                    "its output " + graph::PlaceOf(subgraph, output) +
                        " has no content and is never written",
                    kRemedy);
  }
  return {};
}

}  // namespace

Status CheckValues(const graph::Model& model,
                   const std::vector<SubgraphId>& reached) {
  for (SubgraphId id : reached) {
    STOWPLAN_RETURN_IF_ERROR(CheckSubgraph(model.subgraph(id), id));
  }
  return {};
}

}  // namespace stowplan::runtime
