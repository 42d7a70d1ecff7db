// SPDX-License-Identifier: Apache-2.0
//
// Files that would write what is not to be written, or never end.
#include <gtest/gtest.h>

#include "stowplan/graph/check.h"
#include "stowplan/graph/shape_context.h"
#include "stowplan/runtime/test_models.h"

namespace stowplan::runtime {
namespace {

using graph::TensorId;

// x stays what it is, which is true.
graph::Model LoopForEver() {
  graph::Model model;
  model.subgraphs.resize(3);
  for (graph::Subgraph& subgraph : model.subgraphs) {
    for (const char* name : {"x", "y"}) {
      subgraph.tensors.push_back(MakeTensor(name, {}, DType::kBool));
    }
    subgraph.inputs = {TensorId(0)};
    subgraph.outputs = {TensorId(1)};
  }
  AddOperator(model.subgraphs[0], "WHILE", {0}, {1});
  model.subgraphs[0].operators[0].callees = {graph::SubgraphId(1),
                                             graph::SubgraphId(2)};
  AddOperator(model.subgraphs[1], "LOGICAL_AND", {0, 0}, {1});
  AddOperator(model.subgraphs[2], "LOGICAL_OR", {0, 0}, {1});
  return model;
}

TEST(UntrustedModelTest, RefusesAConstantThatACallerWouldWrite) {
  static const std::byte kTrue[1] = {std::byte{1}};
  for (size_t subgraph = 0; subgraph < 3; ++subgraph) {
    graph::Model model = LoopForEver();
    graph::Tensor& input = model.subgraphs[subgraph].tensors[0];
    input.constant = true;
    input.data = kTrue;
    const Status status = MakeInterpreter(model)->AllocateTensors();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().where, "subgraph " + std::to_string(subgraph));
    EXPECT_NE(status.error().what.find("is constant"), std::string::npos);
  }
}

TEST(UntrustedModelTest, ALoopThatNeverEndsIsOneErrorAfterItsLastIteration) {
  InterpreterOptions options;
  options.max_iterations = 1000;
  auto interpreter = MakeInterpreter(LoopForEver(), options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  for (int run = 0; run < 2; ++run) {
    interpreter->input(0)->data[0] = std::byte{1};
    const Status status = interpreter->Invoke();
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().where.find("operator 0 (WHILE)"),
              std::string::npos);
    EXPECT_NE(status.error().what.find("1000 times"), std::string::npos);
    EXPECT_NE(status.error().remedy.find("max_iterations"), std::string::npos);
  }
  interpreter->input(0)->data[0] = std::byte{0};
  EXPECT_TRUE(interpreter->Invoke());
}

TEST(UntrustedModelTest, RefusesCallersThatLackAnOperand) {
  graph::Model left_out = LoopForEver();
  left_out.subgraphs[0].operators[0].inputs = {TensorId()};
  graph::Model no_condition = LoopForEver();
  no_condition.subgraphs[0].operators[0].kind = graph::OpKind::kIf;
  no_condition.subgraphs[0].operators[0].inputs = {};
  no_condition.subgraphs[1].inputs = {};
  no_condition.subgraphs[2].inputs = {};
  graph::Model loses_state = LoopForEver();
  loses_state.subgraphs[0].operators[0].outputs = {};
  loses_state.subgraphs[2].outputs = {};
  for (const graph::Model& model : {left_out, no_condition, loses_state}) {
    ASSERT_TRUE(graph::CheckModel(model));
    const Status status = MakeInterpreter(model)->AllocateTensors();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what, "it lacks an operand");
  }
}

// Chain, whose output has another shape in the file.
TEST(UntrustedModelTest, RefusesAnOutputThatIsNotAsLargeAsItsInputs) {
  for (const graph::Shape& wrong :
       {graph::Shape{1, 63}, graph::Shape{1, 640}, graph::Shape{64}}) {
    graph::Model model = Chain();
    model.subgraphs[0].tensors[4].shape = wrong;
    const Status status = MakeInterpreter(model)->AllocateTensors();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().where, "subgraph 0, operator 3 (ABS)");
    EXPECT_EQ(status.error().what, "tensor 4 (y) has the shape " +
                                       graph::ToString(wrong) +
                                       ", but the inputs give [1, 64]");
  }
}

}  // namespace
}  // namespace stowplan::runtime
