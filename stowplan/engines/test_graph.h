// SPDX-License-Identifier: Apache-2.0
//
// Graphs written by hand, for the tests of this folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stowplan/graph/model.h"

namespace stowplan::engines {

class TestGraph {
 public:
  TestGraph() { model_.subgraphs.emplace_back(); }

  // A further subgraph, which the next calls fill.
  graph::SubgraphId AddSubgraph() {
    model_.subgraphs.emplace_back();
    current_ = model_.subgraphs.size() - 1;
    return graph::SubgraphId::FromIndex(current_);
  }
  void Select(graph::SubgraphId id) { current_ = id.index(); }

  // Of float32 unless told.
  graph::TensorId Tensor(std::string name, graph::Shape shape,
                         DType dtype = DType::kFloat32) {
    graph::Tensor tensor;
    tensor.name = std::move(name);
    tensor.dtype = dtype;
    tensor.shape = std::move(shape);
    here().tensors.push_back(std::move(tensor));
    return graph::TensorId::FromIndex(here().tensors.size() - 1);
  }
  graph::TensorId Constant(std::string name, graph::Shape shape,
                           DType dtype = DType::kFloat32) {
    const graph::TensorId id = Tensor(std::move(name), std::move(shape), dtype);
    here().tensor(id).constant = true;
    return id;
  }
  graph::TensorId Variable(std::string name, graph::Shape shape) {
    const graph::TensorId id = Tensor(std::move(name), std::move(shape));
    here().tensor(id).variable = true;
    return id;
  }

  graph::Operator& Add(graph::OpKind kind, std::vector<graph::TensorId> inputs,
                       std::vector<graph::TensorId> outputs) {
    graph::Operator op;
    op.kind = kind;
    op.type = std::string(graph::TraitsOf(kind).name);
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    here().operators.push_back(std::move(op));
    return here().operators.back();
  }
  void SetBoundary(std::vector<graph::TensorId> inputs,
                   std::vector<graph::TensorId> outputs) {
    here().inputs = std::move(inputs);
    here().outputs = std::move(outputs);
  }

  const graph::Model& model() const { return model_; }
  graph::Model& model() { return model_; }

 private:
  graph::Subgraph& here() { return model_.subgraphs[current_]; }

  graph::Model model_;
  size_t current_ = 0;
};

}  // namespace stowplan::engines
