// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/value_check.h"

#include <gtest/gtest.h>

#include <array>

namespace stowplan::runtime {
namespace {

using graph::OpKind;
using graph::TensorId;

constexpr std::array<std::byte, 4> kContent = {};

// x -> RELU -> y, with one more tensor, k, that nobody writes.
graph::Model SmallModel() {
  graph::Model model;
  graph::Subgraph& main = model.subgraphs.emplace_back();
  for (const char* name : {"x", "y", "k"}) {
    graph::Tensor& tensor = main.tensors.emplace_back();
    tensor.name = name;
    tensor.shape = graph::Shape{1};
  }
  graph::Operator& op = main.operators.emplace_back();
  op.kind = OpKind::kRelu;
  op.type = "RELU";
  op.inputs = {TensorId(0)};
  op.outputs = {TensorId(1)};
  main.inputs = {TensorId(0)};
  main.outputs = {TensorId(1)};
  return model;
}

std::string FaultOf(const graph::Model& model) {
  const Status status = CheckValues(model, {graph::SubgraphId(0)});
  return status ? "" : status.error().ToString();
}

TEST(ValueCheckTest, InputsAndWhatOperatorsWriteHaveValues) {
  EXPECT_EQ(FaultOf(SmallModel()), "");
}

TEST(ValueCheckTest, AnOperandNobodyWritesIsNamedUnlessItHasContent) {
  graph::Model model = SmallModel();
  graph::Subgraph& main = model.subgraphs[0];
  main.operators[0].inputs.push_back(TensorId(2));
  EXPECT_NE(FaultOf(model).find("operator 0 (RELU): it reads tensor 2 (k)"),
            std::string::npos)
      << FaultOf(model);
  main.tensors[2].constant = true;
  EXPECT_NE(FaultOf(model), "");  // Said to be constant, but empty.
  main.tensors[2].data = kContent;
  EXPECT_EQ(FaultOf(model), "");
}

TEST(ValueCheckTest, StateAndTensorsWithoutElementsNeedNoContent) {
  graph::Model model = SmallModel();
  model.subgraphs[0].operators[0].inputs.push_back(TensorId(2));
  model.subgraphs[0].tensors[2].variable = true;
  EXPECT_EQ(FaultOf(model), "");
  model.subgraphs[0].tensors[2].variable = false;
  model.subgraphs[0].tensors[2].shape = graph::Shape{3, 0};
  EXPECT_EQ(FaultOf(model), "");
}

TEST(ValueCheckTest, AnOutputNobodyWritesIsNamed) {
  graph::Model model = SmallModel();
  model.subgraphs[0].outputs.push_back(TensorId(2));
  EXPECT_NE(FaultOf(model).find("its output tensor 2 (k)"), std::string::npos)
      << FaultOf(model);
}

TEST(ValueCheckTest, VariablesAreReadAndAssignedWithAllOperands) {
  for (OpKind kind :
       {OpKind::kReadVariable, OpKind::kAssignVariable, OpKind::kVarHandle}) {
    graph::Model model = SmallModel();
    graph::Operator& op = model.subgraphs[0].operators[0];
    op.kind = kind;
    op.inputs = {TensorId(0)};
    op.outputs = {};
    model.subgraphs[0].outputs = {};
    EXPECT_NE(FaultOf(model).find("lacks an operand"), std::string::npos);
  }
}

}  // namespace
}  // namespace stowplan::runtime
