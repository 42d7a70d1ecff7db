// SPDX-License-Identifier: Apache-2.0
//
// Files that state another shape for a result than its operator gives. Every
// type of operator that the random models know, in every family: the right
// shape runs as if it were not stated, and every other one is refused before
// any kernel sees it. Outputs have blocks of their own, just as large as they
// are, so that a write beside one ends the test under the address sanitizer.
#include <cstdlib>

#include "stowplan/graph/infer_shapes.h"
#include "tests/random/random_model.h"
#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

using runtime::Interpreter;

ModelPointer RandomFile(uint64_t seed, Family family, std::string_view type) {
  RandomModel model(seed, family);
  const Status status = AddRandomOperator(&model, type);
  EXPECT_TRUE(status) << status.error().ToString();
  return ModelOf(model.Build());
}

// Memory of just `size` bytes, at a multiple of 64.
std::shared_ptr<std::byte> Block(size_t size) {
  auto* memory = new (std::align_val_t{64}) std::byte[size]();
  return {memory, [](std::byte* block) {
            operator delete[](block, std::align_val_t{64});
          }};
}

size_t BytesOf(const graph::Tensor& tensor) {
  return static_cast<size_t>(graph::SizeOf(tensor).value_or(0));
}

// What the model computes, with outputs of the sizes that the file states.
Result<std::vector<std::byte>> RunWhole(const ModelFile& model) {
  runtime::InterpreterOptions options;
  options.planner = PlanWithSolver;
  STOWPLAN_TRY(interpreter,
               Interpreter::Create(model.graph, options, model.facts));
  const graph::Subgraph& subgraph = model.graph.subgraphs[0];
  std::vector<std::shared_ptr<std::byte>> blocks;
  for (size_t i = 0; i < subgraph.outputs.size(); ++i) {
    const size_t size = BytesOf(subgraph.tensor(subgraph.outputs[i]));
    blocks.push_back(Block(size));
    STOWPLAN_RETURN_IF_ERROR(
        interpreter->UseMemoryForOutput(i, {blocks.back().get(), size}));
  }
  STOWPLAN_RETURN_IF_ERROR(interpreter->AllocateTensors());
  return RunOnce(*interpreter);
}

// Too small, too large, of another rank, of no elements.
std::vector<graph::Shape> WrongShapes(const graph::Shape& right) {
  std::vector<graph::Shape> wrong = {right, right, right};
  wrong[0].push_back(1);
  wrong[1].push_back(7);
  wrong[2].insert(wrong[2].begin(), 1);
  if (right.empty()) return wrong;
  wrong.push_back({});
  wrong.push_back({right.begin() + 1, right.end()});
  wrong.push_back({right.begin(), right.end() - 1});
  for (size_t axis = 0; axis < right.size(); ++axis) {
    for (int64_t dim : {int64_t{0}, int64_t{1}, right[axis] - 1,
                        right[axis] + 1, right[axis] * 9}) {
      if (dim == right[axis]) continue;
      wrong.push_back(right);
      wrong.back()[axis] = dim;
    }
  }
  // One that is transposed has as many bytes.
  if (right.front() != right.back()) {
    wrong.push_back({right.rbegin(), right.rend()});
  }
  return wrong;
}

class StoredShapeTest : public ::testing::TestWithParam<Family> {};

TEST_P(StoredShapeTest, TheRightOneRunsAndEveryOtherOneIsRefused) {
  for (std::string_view type : RandomOperatorTypes(GetParam())) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(std::string(type) + ", seed " + std::to_string(seed));
      const auto open = RandomFile(seed, GetParam(), type);
      ASSERT_NE(open, nullptr);
      const auto computed = RandomFile(seed, GetParam(), type);
      ASSERT_TRUE(graph::InferShapes(&computed->graph, {}));
      const auto right = RunWhole(*computed);
      ASSERT_TRUE(right) << right.error().ToString();
      const auto inferred = MakeInterpreter(*open);
      ASSERT_TRUE(inferred->AllocateTensors());
      EXPECT_TRUE(*right == *RunOnce(*inferred));
      graph::Subgraph& subgraph = computed->graph.subgraphs[0];
      for (graph::TensorId output : subgraph.outputs) {
        graph::Tensor& tensor = subgraph.tensor(output);
        const graph::Shape stored = *tensor.shape;
        for (const graph::Shape& wrong : WrongShapes(stored)) {
          tensor.shape = wrong;
          const auto result = RunWhole(*computed);
          ASSERT_FALSE(result) << ::testing::PrintToString(stored) << " as "
                               << ::testing::PrintToString(wrong);
          EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
        }
        tensor.shape = stored;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, StoredShapeTest,
                         ::testing::Values(Family::kFloat, Family::kHybrid,
                                           Family::kInt8, Family::kUInt8,
                                           Family::kInt16, Family::kInt32));

}  // namespace
}  // namespace stowplan::tests
