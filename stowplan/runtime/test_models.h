// SPDX-License-Identifier: Apache-2.0
//
// Small graphs for the tests of this folder, and what they need to run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/runtime/interpreter.h"

namespace stowplan::runtime {

// Each buffer at the lowest place that is free while it lives.
inline Result<plan::Plan> FirstFit(const plan::Problem& problem) {
  const auto& buffers = problem.buffers();
  plan::Plan plan;
  for (size_t i = 0; i < buffers.size(); ++i) {
    Bytes offset = 0;
    for (size_t k = 0; k < i; ++k) {  // Back to the first after each move.
      const bool together = buffers[k].live.begin < buffers[i].live.end &&
                            buffers[i].live.begin < buffers[k].live.end;
      const Bytes end = plan.offsets[k] + buffers[k].size;
      if (!together || offset >= end ||
          offset + buffers[i].size <= plan.offsets[k]) {
        continue;
      }
      offset = end;
      k = static_cast<size_t>(-1);
    }
    plan.offsets.push_back(offset);
  }
  return plan;
}

inline graph::Tensor MakeTensor(std::string name, graph::Shape shape,
                                DType dtype = DType::kFloat32) {
  graph::Tensor tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  tensor.dtype = dtype;
  return tensor;
}

inline void AddOperator(graph::Subgraph& subgraph, const char* type,
                        std::vector<int32_t> inputs,
                        std::vector<int32_t> outputs) {
  graph::Operator op;
  op.type = type;
  op.kind = graph::OpKindFromName(type).value_or(graph::OpKind::kCustom);
  for (int32_t id : inputs) op.inputs.push_back(graph::TensorId(id));
  for (int32_t id : outputs) op.outputs.push_back(graph::TensorId(id));
  subgraph.operators.push_back(std::move(op));
}

// x --NEG--> a --EXP--> b --LOG--> c --ABS--> y; y = |x|.
inline graph::Model Chain() {
  graph::Model model;
  graph::Subgraph& subgraph = model.subgraphs.emplace_back();
  for (const char* name : {"x", "a", "b", "c", "y"}) {
    subgraph.tensors.push_back(MakeTensor(name, {1, 64}));
  }
  AddOperator(subgraph, "NEG", {0}, {1});
  AddOperator(subgraph, "EXP", {1}, {2});
  AddOperator(subgraph, "LOG", {2}, {3});
  AddOperator(subgraph, "ABS", {3}, {4});
  subgraph.inputs = {graph::TensorId(0)};
  subgraph.outputs = {graph::TensorId(4)};
  return model;
}

// With a planner that is good enough unless another one is given.
inline std::unique_ptr<Interpreter> MakeInterpreter(
    const graph::Model& model, InterpreterOptions options = {}) {
  if (!options.planner) options.planner = FirstFit;
  auto interpreter = Interpreter::Create(model, std::move(options));
  EXPECT_TRUE(interpreter) << interpreter.error().ToString();
  return *std::move(interpreter);
}

inline void SetAll(Interpreter& interpreter, size_t i, float value) {
  TensorView view = interpreter.input(i).value();
  auto* data = reinterpret_cast<float*>(view.data.data());
  std::fill_n(data, view.data.size() / sizeof(float), value);
}

inline float First(const TensorView& view) {
  return *reinterpret_cast<const float*>(view.data.data());
}

}  // namespace stowplan::runtime
