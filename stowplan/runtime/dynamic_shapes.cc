// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/dynamic_shapes.h"

#include <map>
#include <string>

#include "stowplan/graph/constant_value.h"
#include "stowplan/graph/infer_shapes.h"

namespace stowplan::runtime {
namespace {

using graph::TensorId;

// The tensor as a constant, as far as shape rules read its content.
graph::Tensor AsKnown(const graph::Tensor& tensor,
                      const kernels::Tensor& bound) {
  graph::Tensor known = tensor;
  known.signature.clear();
  known.variable = false;
  known.shape.emplace(
      bound.shape.dims.begin(),
      bound.shape.dims.begin() + static_cast<long>(bound.shape.rank));
  if (tensor.constant) return known;
  const int64_t elements = bound.shape.elements();
  if (graph::HoldsIntegers(tensor.dtype) && bound.data != nullptr &&
      elements <= graph::kMaxValueElements) {
    known.constant = true;
    known.data = {bound.data,
                  static_cast<size_t>(elements) * kernels::SizeOf(bound.type)};
  }
  return known;
}

// A model of that operator alone.
graph::Model Alone(const graph::Subgraph& subgraph, const graph::Operator& op,
                   const BoundOperator& bound) {
  graph::Model model;
  graph::Subgraph& alone = model.subgraphs.emplace_back();
  graph::Operator copy = op;
  std::map<TensorId, TensorId> renamed;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.inputs[i].valid()) continue;
    const auto [place, added] = renamed.insert(
        {op.inputs[i], TensorId::FromIndex(alone.tensors.size())});
    copy.inputs[i] = place->second;
    if (!added) continue;
    alone.tensors.push_back(
        AsKnown(subgraph.tensor(op.inputs[i]), *bound.node.inputs[i]));
    if (!alone.tensors.back().constant) {
      alone.inputs.push_back(place->second);
    }
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    copy.outputs[i] = TensorId::FromIndex(alone.tensors.size());
    graph::Tensor output = subgraph.tensor(op.outputs[i]);
    output.shape.reset();
    output.signature.clear();
    alone.tensors.push_back(std::move(output));
    alone.outputs.push_back(copy.outputs[i]);
  }
  copy.intermediates.clear();
  alone.operators.push_back(std::move(copy));
  return model;
}

}  // namespace

Status FindOutputShapes(const graph::Subgraph& subgraph,
                        const graph::Operator& op, const BoundOperator& bound,
                        std::span<kernels::Shape> shapes) {
  if (bound.kernel->shapes != nullptr) {
    return bound.kernel->shapes(bound.node, shapes);
  }
  graph::Model model = Alone(subgraph, op, bound);
  STOWPLAN_TRY(report, graph::InferShapes(&model, {}));
  const graph::Subgraph& alone = model.subgraphs[0];
  for (size_t i = 0; i < alone.outputs.size(); ++i) {
    const auto shape = ToKernelShape(alone.tensor(alone.outputs[i]).shape);
    if (!shape) {
      return BadInput(
          op.type,
          "its inputs do not decide the shape of output " + std::to_string(i),
          "the model cannot run");
    }
    shapes[i] = *shape;
  }
  return {};
}

}  // namespace stowplan::runtime
