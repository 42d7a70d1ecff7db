// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_uses.h"

#include <vector>

#include "gtest/gtest.h"
#include "stowplan/engines/tflm_test_graphs.h"

namespace stowplan::engines {
namespace {

using graph::SubgraphId;
using graph::TensorId;

TflmUses FoundIn(const graph::Model& model) {
  const auto timeline = schedule::MakeTimeline(model, SubgraphId(0));
  EXPECT_TRUE(timeline.has_value());
  auto uses = FindTflmUses(model, *timeline);
  EXPECT_TRUE(uses.has_value());
  return *std::move(uses);
}

std::vector<std::vector<int64_t>> UsesOf(const std::vector<TflmUse>& uses) {
  std::vector<std::vector<int64_t>> result;
  for (const TflmUse& use : uses) result.push_back({use.first, use.last});
  return result;
}

using Uses = std::vector<std::vector<int64_t>>;

TEST(TflmUsesTest, InputsDieWithTheirLastReaderAndOutputsLast) {
  const graph::Model model = ChainOf("RELU", 3, 4);
  const TflmUses found = FoundIn(model);
  EXPECT_EQ(UsesOf(found.tensors[0]), (Uses{{0, 1}, {1, 2}, {2, 3}, {3, 3}}));
  EXPECT_EQ(found.step_of, (std::vector<plan::Step>{0, 0, 1, 2}));
}

TEST(TflmUsesTest, AnOutputThatNobodyReadsLivesOneStep) {
  GraphBuilder b;
  const TensorId in = b.Tensor({4}), dead = b.Tensor({4}), out = b.Tensor({4});
  b.Operator("RELU", {in}, {dead});
  b.Operator("ABS", {in}, {out});
  b.Ends({in}, {out});
  EXPECT_EQ(UsesOf(FoundIn(b.model()).tensors[0]),
            (Uses{{0, 2}, {1, 1}, {2, 2}}));
}

// IF on `in`, between two RELUs; each branch is one RELU.
graph::Model Branches(bool same_subgraph) {
  GraphBuilder b;
  const TensorId cond = b.Tensor({1}, DType::kBool);
  const TensorId in = b.Tensor({4}), middle = b.Tensor({4}),
                 out = b.Tensor({4});
  b.Operator("RELU", {in}, {middle});
  b.Operator("IF", {cond, middle}, {out}).callees = {
      SubgraphId(1), same_subgraph ? SubgraphId(1) : SubgraphId(2)};
  b.Ends({cond, in}, {out});
  for (int i = 0; i < 3; ++i) {
    b.NextSubgraph();
    const TensorId a = b.Tensor({4}), c = b.Tensor({4});
    b.Operator("RELU", {a}, {c});
    b.Ends({a}, {c});
  }
  return b.model();
}

TEST(TflmUsesTest, CalleesCountStepsOfTheirOwn) {
  const TflmUses found = FoundIn(Branches(false));
  // Steps: 0 begin, 1 RELU, 2 IF, 3 then begins, 4 its RELU, 5 else begins,
  // 6 its RELU.
  EXPECT_EQ(UsesOf(found.tensors[0]), (Uses{{0, 6}, {0, 1}, {1, 6}, {2, 6}}));
  EXPECT_EQ(UsesOf(found.tensors[1]), (Uses{{3, 4}, {4, 4}}));
  EXPECT_EQ(UsesOf(found.tensors[2]), (Uses{{5, 6}, {6, 6}}));
  EXPECT_EQ(UsesOf(found.operators[0]), (Uses{{1, 1}, {2, 6}}));
  EXPECT_EQ(found.step_of, (std::vector<plan::Step>{0, 0, 1, 2, 2, 3, 3}));
}

TEST(TflmUsesTest, ASubgraphThatNobodyCallsHasNoSteps) {
  const TflmUses found = FoundIn(Branches(false));
  EXPECT_EQ(UsesOf(found.tensors[3]), (Uses{{-1, -1}, {-1, -1}}));
}

TEST(TflmUsesTest, ASubgraphThatIsCalledTwiceHasOneRangeAroundBoth) {
  const TflmUses found = FoundIn(Branches(true));
  EXPECT_EQ(UsesOf(found.tensors[1]), (Uses{{3, 6}, {4, 6}}));
  EXPECT_EQ(UsesOf(found.operators[1]), (Uses{{4, 6}}));
}

TEST(TflmUsesTest, OnlyControlFlowOperatorsCall) {
  graph::Model model = Branches(false);
  graph::Operator& op = model.subgraphs[0].operators[1];
  op.kind = graph::OpKind::kStablehloComposite;
  const TflmUses found = FoundIn(model);
  EXPECT_EQ(UsesOf(found.tensors[1]), (Uses{{-1, -1}, {-1, -1}}));
  EXPECT_EQ(UsesOf(found.tensors[0])[3], (std::vector<int64_t>{2, 2}));
}

}  // namespace
}  // namespace stowplan::engines
