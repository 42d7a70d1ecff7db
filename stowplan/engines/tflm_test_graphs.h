// SPDX-License-Identifier: Apache-2.0
//
// Small graphs for the tests of TFLM's model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/graph/model.h"

namespace stowplan::engines {

// Builds the last subgraph of a model.
class GraphBuilder {
 public:
  GraphBuilder() { NextSubgraph(); }

  graph::SubgraphId NextSubgraph() {
    model_.subgraphs.emplace_back();
    return graph::SubgraphId::FromIndex(model_.subgraphs.size() - 1);
  }

  graph::TensorId Tensor(graph::Shape shape, DType dtype = DType::kFloat32) {
    graph::Tensor tensor;
    tensor.dtype = dtype;
    tensor.shape = std::move(shape);
    last().tensors.push_back(std::move(tensor));
    return graph::TensorId::FromIndex(last().tensors.size() - 1);
  }
  graph::TensorId Constant(graph::Shape shape, DType dtype = DType::kFloat32) {
    const graph::TensorId id = Tensor(std::move(shape), dtype);
    last().tensor(id).constant = true;
    return id;
  }
  graph::TensorId Variable(graph::Shape shape) {
    const graph::TensorId id = Tensor(std::move(shape));
    last().tensor(id).variable = true;
    return id;
  }
  // Gives a tensor that many scales and zero points.
  graph::TensorId Quantize(graph::TensorId id, size_t scales = 1) {
    graph::Quantization& q = last().tensor(id).quantization;
    q.scheme = scales == 1 ? graph::Quantization::Scheme::kPerTensor
                           : graph::Quantization::Scheme::kPerChannel;
    q.scales.assign(scales, 0.1F);
    q.zero_points.assign(scales, 0);
    return id;
  }

  graph::Operator& Operator(const std::string& type,
                            std::vector<graph::TensorId> inputs,
                            std::vector<graph::TensorId> outputs) {
    graph::Operator op;
    op.type = type;
    op.kind = graph::OpKindFromName(type).value_or(graph::OpKind::kCustom);
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    last().operators.push_back(std::move(op));
    return last().operators.back();
  }
  void Ends(std::vector<graph::TensorId> inputs,
            std::vector<graph::TensorId> outputs) {
    last().inputs = std::move(inputs);
    last().outputs = std::move(outputs);
  }

  graph::Subgraph& last() { return model_.subgraphs.back(); }
  graph::Model& model() { return model_; }

 private:
  graph::Model model_;
};

// A chain of `operators` of one input and one output, tensors of `floats`.
inline graph::Model ChainOf(const std::string& type, size_t operators,
                            int64_t floats) {
  GraphBuilder b;
  graph::TensorId at = b.Tensor({floats});
  const graph::TensorId input = at;
  for (size_t i = 0; i < operators; ++i) {
    const graph::TensorId next = b.Tensor({floats});
    b.Operator(type, {at}, {next});
    at = next;
  }
  b.Ends({input}, {at});
  return b.model();
}

}  // namespace stowplan::engines
