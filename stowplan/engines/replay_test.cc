// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/replay.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/engines/litert.h"
#include "stowplan/engines/stowplan.h"
#include "stowplan/engines/test_graph.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::engines {
namespace {

using graph::OperatorId;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;

// CONV -> a, seen as b and as c; d = c * k; e = d + b. Without `chain`, MUL
// reads b itself.
struct ViewChain {
  explicit ViewChain(bool chain = true) {
    x = g.Tensor("x", {1, 8, 8, 16});
    a = g.Tensor("a", {1, 8, 8, 16});
    b = g.Tensor("b", {1, 64, 16});
    c = g.Tensor("c", {64, 16});
    k = g.Constant("k", {1});
    d = g.Tensor("d", chain ? graph::Shape{64, 16} : graph::Shape{1, 64, 16});
    e = g.Tensor("e", {1, 64, 16});
    g.Add(OpKind::kAveragePool2d, {x}, {a});
    g.Add(OpKind::kReshape, {a}, {b});
    if (chain) g.Add(OpKind::kReshape, {b}, {c});
    g.Add(OpKind::kMul, {chain ? c : b, k}, {d});
    g.Add(OpKind::kAdd, {d, b}, {e});
    g.SetBoundary({x}, {e});
  }

  TestGraph g;
  TensorId x, a, b, c, k, d, e;
};

Layout Ours(const graph::Model& model, const std::vector<Bytes>& offsets,
            schedule::Rules rules = {}) {
  const auto needs = schedule::FindMemoryNeeds(model, rules);
  EXPECT_TRUE(needs.has_value());
  EXPECT_EQ(needs->problem.size(), offsets.size());
  return PlanStowplan(model, *needs, {offsets});
}

TEST(ReplayTest, FindsTheHazardOfAViewChainInLiteRtsPlan) {
  const ViewChain chain;
  const graph::Model& model = chain.g.model();
  const auto layout = PlanLiteRt(model);
  ASSERT_TRUE(layout.has_value());
  const Replay replay = ReplayPlan(model, *layout);
  ASSERT_EQ(replay.violations.size(), 1u);
  const BrokenRead& broken = replay.violations[0];
  EXPECT_EQ(broken.reader.op, OperatorId(4));
  EXPECT_EQ(broken.tensor.tensor, chain.b);
  EXPECT_EQ(broken.writer.op, OperatorId(1));
  EXPECT_EQ(broken.overwritten_by.op, OperatorId(3));
  EXPECT_EQ(broken.overwriting.tensor, chain.d);
  EXPECT_EQ(broken.step, 4);
  EXPECT_EQ(broken.bytes, (ByteRange{4096, 8192}));
  EXPECT_EQ(Describe(model, broken),
            "operator 4 (ADD) reads tensor 2 (b) at step 4, but operator 3 "
            "(MUL) has written tensor 5 (d) over bytes [4096, 8192)");
}

TEST(ReplayTest, PassesLiteRtsPlanWithoutTheSecondView) {
  const ViewChain control(/*chain=*/false);
  const auto layout = PlanLiteRt(control.g.model());
  ASSERT_TRUE(layout.has_value());
  EXPECT_TRUE(ReplayPlan(control.g.model(), *layout).ok());
}

TEST(ReplayTest, OurRulesKeepTheMiddleOfTheChain) {
  const ViewChain chain;
  const graph::Model& model = chain.g.model();
  // x; a, b and c; d and e.
  EXPECT_TRUE(ReplayPlan(model, Ours(model, {4096, 0, 4096})).ok());
}

TEST(ReplayTest, AnOutputMayNotLieOnAnOperandWithoutTheRight) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {1, 4, 4, 16});
  const TensorId y = g.Tensor("y", {1, 4, 4, 16});
  g.Add(OpKind::kConv2d, {x}, {y});
  g.SetBoundary({x}, {y});
  const Replay replay = ReplayPlan(g.model(), Ours(g.model(), {0, 0}));
  ASSERT_EQ(replay.violations.size(), 1u);
  EXPECT_EQ(replay.violations[0].tensor.tensor, x);
  EXPECT_EQ(replay.violations[0].overwriting.tensor, y);
  EXPECT_EQ(replay.violations[0].step, 0);
}

TEST(ReplayTest, AnOverwriteMustBeExact) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {32});
  const TensorId y = g.Tensor("y", {32});
  g.Add(OpKind::kRelu, {x}, {y});
  g.SetBoundary({x}, {y});
  schedule::Rules off;
  off.in_place = schedule::InPlace::kOff;
  EXPECT_TRUE(ReplayPlan(g.model(), Ours(g.model(), {0, 0}, off)).ok());
  EXPECT_FALSE(ReplayPlan(g.model(), Ours(g.model(), {0, 64}, off)).ok());
}

TEST(ReplayTest, ScratchMustLeaveOperandsAndOutputsAlone) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {16});
  const TensorId y = g.Tensor("y", {16});
  g.Add(OpKind::kSoftmax, {x}, {y}).scratch = 64;
  g.SetBoundary({x}, {y});
  schedule::Rules off;
  off.in_place = schedule::InPlace::kOff;
  EXPECT_TRUE(ReplayPlan(g.model(), Ours(g.model(), {0, 64, 128}, off)).ok());
  const Replay on_input =
      ReplayPlan(g.model(), Ours(g.model(), {0, 64, 0}, off));
  ASSERT_EQ(on_input.violations.size(), 1u);
  EXPECT_FALSE(on_input.violations[0].overwriting.tensor.valid());
  EXPECT_NE(Describe(g.model(), on_input.violations[0]).find("its scratch"),
            std::string::npos);
  EXPECT_FALSE(ReplayPlan(g.model(), Ours(g.model(), {0, 64, 64}, off)).ok());
}

TEST(ReplayTest, OutputsOfOneOperatorLieApart) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {32});
  const TensorId y = g.Tensor("y", {16});
  const TensorId z = g.Tensor("z", {16});
  const TensorId axis = g.Constant("axis", {}, DType::kInt32);
  g.Add(OpKind::kSplit, {axis, x}, {y, z});
  g.SetBoundary({x}, {y});
  EXPECT_TRUE(ReplayPlan(g.model(), Ours(g.model(), {0, 128, 192})).ok());
  EXPECT_FALSE(ReplayPlan(g.model(), Ours(g.model(), {0, 128, 128})).ok());
}

TEST(ReplayTest, OutputsMustBeThereAfterTheRunUnlessRecycled) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {16});
  const TensorId y = g.Tensor("y", {16});
  const TensorId z = g.Tensor("z", {16});
  g.Add(OpKind::kConv2d, {x}, {y});
  g.Add(OpKind::kConv2d, {x}, {z});
  g.SetBoundary({x}, {y, z});
  const Layout layout = Ours(g.model(), {0, 64, 64});
  const Replay kept = ReplayPlan(g.model(), layout);
  ASSERT_EQ(kept.violations.size(), 1u);
  EXPECT_FALSE(kept.violations[0].reader.op.valid());
  EXPECT_EQ(kept.violations[0].step, 2);
  ReplayOptions recycled;
  recycled.keep_outputs = false;
  EXPECT_TRUE(ReplayPlan(g.model(), layout, recycled).ok());
}

TEST(ReplayTest, StateMustSurviveBetweenTwoRuns) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {16});
  const TensorId state = g.Variable("state", {16});
  const TensorId y = g.Tensor("y", {16});
  g.Add(OpKind::kSvdf, {x, state}, {y});
  g.SetBoundary({x}, {y});
  Layout layout = Ours(g.model(), {0, 64});
  EXPECT_TRUE(ReplayPlan(g.model(), layout).ok());
  // The variable in the arena, under the input of the next run.
  for (Piece& piece : layout.pieces) {
    if (piece.tensor.tensor == state) piece.region = 0, piece.offset = 0;
  }
  const Replay replay = ReplayPlan(g.model(), layout);
  ASSERT_FALSE(replay.ok());
  EXPECT_EQ(replay.violations[0].tensor.tensor, state);
}

TEST(ReplayTest, ALoopsStateMustSurviveItsCondition) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {16});
  const TensorId y = g.Tensor("y", {16});
  graph::Operator& loop = g.Add(OpKind::kWhile, {x}, {y});
  g.SetBoundary({x}, {y});
  loop.callees = {SubgraphId(1), SubgraphId(2)};
  g.AddSubgraph();
  const TensorId ci = g.Tensor("ci", {16});
  const TensorId co = g.Tensor("co", {1}, DType::kBool);
  g.Add(OpKind::kReduceAny, {ci}, {co});
  g.SetBoundary({ci}, {co});
  g.AddSubgraph();
  const TensorId bi = g.Tensor("bi", {16});
  const TensorId bo = g.Tensor("bo", {16});
  g.Add(OpKind::kConv2d, {bi}, {bo});
  g.SetBoundary({bi}, {bo});
  // x, y, ci, co, bi, bo
  const schedule::Rules apart = {.in_place = schedule::InPlace::kOff};
  EXPECT_TRUE(
      ReplayPlan(g.model(), Ours(g.model(), {0, 64, 128, 192, 128, 192}, apart))
          .ok());
  // The condition's result over what the loop carries.
  const Replay broken =
      ReplayPlan(g.model(), Ours(g.model(), {0, 64, 128, 64, 128, 192}, apart));
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.violations[0].tensor.tensor, y);
  EXPECT_EQ(broken.violations[0].overwriting.tensor, co);
  // x, y, ci and bi in one; co; bo
  EXPECT_TRUE(ReplayPlan(g.model(), Ours(g.model(), {0, 64, 64})).ok());
  EXPECT_FALSE(ReplayPlan(g.model(), Ours(g.model(), {0, 0, 64})).ok());
  EXPECT_FALSE(ReplayPlan(g.model(), Ours(g.model(), {0, 64, 0})).ok());
}

TEST(ReplayTest, BranchesMayUseTheSameBytesButNotTheCallers) {
  TestGraph g;
  const TensorId cond = g.Tensor("cond", {1}, DType::kBool);
  const TensorId x = g.Tensor("x", {16});
  const TensorId y = g.Tensor("y", {16});
  const TensorId z = g.Tensor("z", {16});
  graph::Operator& branch = g.Add(OpKind::kIf, {cond, x}, {y});
  branch.callees = {SubgraphId(1), SubgraphId(2)};
  g.Add(OpKind::kAdd, {x, y}, {z});
  g.SetBoundary({cond, x}, {z});
  for (int i = 0; i < 2; ++i) {
    g.AddSubgraph();
    const TensorId in = g.Tensor("in", {16});
    const TensorId out = g.Tensor("out", {16});
    g.Add(OpKind::kConv2d, {in}, {out});
    g.SetBoundary({in}, {out});
  }
  schedule::Rules off;
  off.in_place = schedule::InPlace::kOff;
  // cond, x, y, z; then in, out; else in, out.
  EXPECT_TRUE(
      ReplayPlan(g.model(),
                 Ours(g.model(), {0, 64, 128, 192, 256, 320, 320, 256}, off))
          .ok());
  const Replay broken = ReplayPlan(
      g.model(), Ours(g.model(), {0, 64, 128, 192, 256, 320, 320, 64}, off));
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.violations[0].tensor.tensor, x);
  EXPECT_EQ(broken.violations[0].overwriting.subgraph, SubgraphId(2));
}

}  // namespace
}  // namespace stowplan::engines
