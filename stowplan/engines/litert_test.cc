// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/engines/litert_arena.h"
#include "stowplan/engines/test_graph.h"

namespace stowplan::engines {
namespace {

using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;

Layout Plan(const graph::Model& model) {
  auto layout = PlanLiteRt(model);
  EXPECT_TRUE(layout.has_value());
  return layout.value_or(Layout());
}

const Piece& PieceOf(const Layout& layout, TensorId tensor,
                     SubgraphId subgraph = SubgraphId(0)) {
  return layout
      .pieces[layout.piece_of[subgraph.index()][tensor.index()].value()];
}

Bytes OffsetOf(const Layout& layout, TensorId tensor) {
  return PieceOf(layout, tensor).offset.value_or(-1);
}

TEST(LiteRtArenaTest, TakesTheSmallestGapThatFits) {
  LiteRtArena arena;
  EXPECT_EQ(arena.Place(64, 0, 0), 0);
  EXPECT_EQ(arena.Place(256, 1, 1), 0);
  EXPECT_EQ(arena.Place(64, 0, 1), 256);
  EXPECT_EQ(arena.Place(64, 0, 0), 64);
  // At node 1: [0, 256) and [256, 320) are taken; at node 0 [128, 256) is
  // free.
  EXPECT_EQ(arena.Place(100, 0, 0), 128);
  EXPECT_EQ(arena.Place(10, 1, 1), 320);
  EXPECT_EQ(arena.extent(), 330);  // Sizes are not rounded.
}

TEST(LiteRtArenaTest, ComparesAlignedGapsWithUnalignedOnes) {
  LiteRtArena arena;
  // Alive together: [0, 1), [128, 129) and [256, 257).
  arena.Place(128, 1, 1);
  EXPECT_EQ(arena.Place(1, 0, 0), 0);
  EXPECT_EQ(arena.Place(1, 0, 1), 128);
  arena.Place(128 - 1, 1, 1);
  EXPECT_EQ(arena.Place(1, 1, 1), 320);
  // Both gaps begin at a multiple of 64 and have 64 bytes; the first is
  // remembered with 127 of them, so the second seems the better one.
  LiteRtArena twin;
  twin.Place(192, 1, 1);
  twin.Place(1, 0, 0);                   // [0, 1)
  EXPECT_EQ(twin.Place(65, 0, 1), 192);  // [192, 257)
  twin.Place(130, 1, 1);                 // [320, 450)
  EXPECT_EQ(twin.Place(1, 0, 1), 512);   // [512, 513)
  EXPECT_EQ(twin.Place(128, 0, 0), 64);  // 128 bytes at 64
}

TEST(LiteRtTest, KeepsInputsToTheEnd) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {256});
  const TensorId a = g.Tensor("a", {64});
  const TensorId b = g.Tensor("b", {64});
  g.Add(OpKind::kAveragePool2d, {x}, {a});
  g.Add(OpKind::kAveragePool2d, {a}, {b});
  g.SetBoundary({x}, {b});
  const Layout layout = Plan(g.model());
  EXPECT_EQ(OffsetOf(layout, x), 0);
  EXPECT_EQ(OffsetOf(layout, a), 1024);
  EXPECT_EQ(OffsetOf(layout, b), 1280);
  EXPECT_EQ(PieceOf(layout, x).live, (plan::LiveRange{0, 2}));
  EXPECT_EQ(BytesOf(layout, Region::Kind::kArena), 1536);
}

TEST(LiteRtTest, NeverGivesBackAnOutputThatNobodyReads) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {16});
  const TensorId a = g.Tensor("a", {16});
  const TensorId unread = g.Tensor("unread", {1024});
  const TensorId b = g.Tensor("b", {512});
  const TensorId y = g.Tensor("y", {16});
  const TensorId axis = g.Constant("axis", {}, DType::kInt32);
  g.Add(OpKind::kSplit, {axis, x}, {a, unread});
  g.Add(OpKind::kTile, {a, axis}, {b});
  g.Add(OpKind::kAveragePool2d, {b}, {y});
  g.SetBoundary({x}, {y});
  const Layout layout = Plan(g.model());
  // Born at node 0 and never given back: it goes with the inputs.
  EXPECT_EQ(OffsetOf(layout, unread), 64);
  EXPECT_EQ(PieceOf(layout, unread).live, (plan::LiveRange{0, 3}));
  EXPECT_GE(OffsetOf(layout, b), 64 + 4096);
}

TEST(LiteRtTest, PlacesIm2colBesideTheOperandsOfItsNodeOnly) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {1, 8, 8, 4});
  const TensorId w = g.Constant("w", {4, 3, 3, 4});
  const TensorId y = g.Tensor("y", {1, 8, 8, 4});
  const TensorId z = g.Tensor("z", {1, 8, 8, 4});
  g.Add(OpKind::kConv2d, {x, w}, {y});
  g.Add(OpKind::kAveragePool2d, {y}, {z});
  g.SetBoundary({x}, {z});
  const Layout layout = Plan(g.model());
  ASSERT_EQ(layout.pieces.size(), 4u);
  const Piece& im2col = layout.pieces.back();
  EXPECT_EQ(im2col.owner, Owner::kScratch);
  EXPECT_EQ(im2col.label, "im2col");
  EXPECT_EQ(im2col.bytes, 8 * 8 * 36 * 4);
  EXPECT_EQ(im2col.live, (plan::LiveRange{0, 1}));
  EXPECT_EQ(im2col.offset, 1024);
  EXPECT_EQ(OffsetOf(layout, z), 1024);  // In its place, one step later.
}

TEST(LiteRtTest, APointwiseConvolutionNeedsNoScratch) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {1, 8, 8, 4});
  const TensorId w = g.Constant("w", {4, 1, 1, 4});
  const TensorId y = g.Tensor("y", {1, 8, 8, 4});
  g.Add(OpKind::kConv2d, {x, w}, {y});
  g.SetBoundary({x}, {y});
  EXPECT_EQ(Plan(g.model()).pieces.size(), 2u);
}

TEST(LiteRtTest, HybridWeightsNeedQuantisedInputsAndPersistentRowSums) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {2, 32});
  const TensorId w = g.Constant("w", {8, 32}, DType::kInt8);
  const TensorId y = g.Tensor("y", {2, 8});
  g.Add(OpKind::kFullyConnected, {x, w}, {y});
  g.SetBoundary({x}, {y});
  const Layout layout = Plan(g.model());
  ASSERT_EQ(layout.pieces.size(), 7u);
  const Piece& sums = layout.pieces[6];
  EXPECT_EQ(sums.label, "row sums");
  EXPECT_EQ(sums.owner, Owner::kPersistent);
  EXPECT_EQ(sums.bytes, 32);
  EXPECT_EQ(layout.regions[sums.region].kind, Region::Kind::kPersistent);
}

TEST(LiteRtTest, DequantisedConstantsArePersistent) {
  TestGraph g;
  const TensorId w = g.Constant("w", {64}, DType::kFloat16);
  const TensorId f = g.Tensor("f", {64});
  const TensorId x = g.Tensor("x", {64});
  const TensorId y = g.Tensor("y", {64});
  g.Add(OpKind::kDequantize, {w}, {f});
  g.Add(OpKind::kMul, {x, f}, {y});
  g.SetBoundary({x}, {y});
  const Layout layout = Plan(g.model());
  EXPECT_EQ(PieceOf(layout, f).owner, Owner::kPersistent);
  EXPECT_EQ(BytesOf(layout, Region::Kind::kPersistent), 256);
}

TEST(LiteRtTest, WhatOnlyARunSizesStopsThePlan) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {64});
  const TensorId shape = g.Tensor("shape", {1}, DType::kInt32);
  const TensorId filled = g.Tensor("filled", {64});
  const TensorId y = g.Tensor("y", {64});
  g.Add(OpKind::kFill, {shape, x}, {filled});
  g.Add(OpKind::kAveragePool2d, {filled}, {y});
  g.SetBoundary({x, shape}, {y});
  const Layout layout = Plan(g.model());
  EXPECT_EQ(PieceOf(layout, filled).owner, Owner::kDynamic);
  EXPECT_FALSE(PieceOf(layout, filled).offset.has_value());
  // Placed while the model runs, behind what is there.
  EXPECT_EQ(PieceOf(layout, y).phases.begin, 1u);
  EXPECT_EQ(layout.phases[0].bytes, 256 + 4);
  EXPECT_EQ(layout.phases[1].bytes, 320 + 256);
}

TEST(LiteRtTest, EverySubgraphHasArenasOfItsOwn) {
  TestGraph g;
  const TensorId cond = g.Tensor("cond", {1}, DType::kBool);
  const TensorId x = g.Tensor("x", {16});
  const TensorId y = g.Tensor("y", {16});
  g.Add(OpKind::kIf, {cond, x}, {y}).callees = {SubgraphId(1), SubgraphId(2)};
  g.SetBoundary({cond, x}, {y});
  TensorId in, out;
  for (int i = 0; i < 2; ++i) {
    g.AddSubgraph();
    in = g.Tensor("in", {16});
    out = g.Tensor("out", {16});
    g.Add(OpKind::kAveragePool2d, {in}, {out});
    g.SetBoundary({in}, {out});
  }
  const Layout layout = Plan(g.model());
  // An input is its caller's tensor; an output has bytes of its own.
  const Piece& given = PieceOf(layout, in, SubgraphId(1));
  EXPECT_EQ(given.alias_of, (graph::TensorRef{SubgraphId(0), x}));
  EXPECT_EQ(given.region, PieceOf(layout, x).region);
  EXPECT_EQ(given.offset, PieceOf(layout, x).offset);
  EXPECT_EQ(OffsetOf(layout, y), 128);
  EXPECT_EQ(BytesOf(layout, Region::Kind::kArena), 192 + 64 + 64);
}

graph::Model Doubling(int64_t n, int64_t m) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {n});
  const TensorId a = g.Tensor("a", {n});
  const TensorId b = g.Tensor("b", {m});
  const TensorId c = g.Tensor("c", {m});
  const TensorId y = g.Tensor("y", {1});
  const TensorId k = g.Constant("k", {m});
  g.Add(OpKind::kAveragePool2d, {x}, {a});
  g.Add(OpKind::kAdd, {a, k}, {b});
  g.Add(OpKind::kAveragePool2d, {b}, {c});
  g.Add(OpKind::kMean, {c, g.Constant("axes", {1}, DType::kInt32)}, {y});
  g.SetBoundary({x}, {y});
  return g.model();
}

TEST(LiteRtResizeTest, TheBlockOnlyGrowsAndIsCopied) {
  const auto resizes =
      ResizeLiteRt({Doubling(64, 64), Doubling(640, 640), Doubling(64, 64)});
  ASSERT_TRUE(resizes.has_value());
  const LiteRtResize& small = resizes->at(0);
  const LiteRtResize& large = resizes->at(1);
  EXPECT_EQ(small.held, small.needed);
  EXPECT_EQ(large.transient, small.held + large.needed);
  EXPECT_EQ(resizes->at(2).needed, small.needed);
  EXPECT_EQ(resizes->at(2).held, large.held);
  EXPECT_EQ(resizes->at(2).transient, large.held);
}

TEST(LiteRtResizeTest, ASharingThatWasDroppedDoesNotComeBack) {
  // Broadcasting makes b larger than a once.
  const auto resizes =
      ResizeLiteRt({Doubling(64, 64), Doubling(1, 64), Doubling(64, 64)});
  ASSERT_TRUE(resizes.has_value());
  EXPECT_EQ(resizes->at(2).needed, resizes->at(0).needed + 256);
}

TEST(LiteRtResizeTest, RefusesModelsOfTwoGraphs) {
  TestGraph other;
  EXPECT_FALSE(ResizeLiteRt({Doubling(64, 64), other.model()}).has_value());
}

TEST(LiteRtTest, RefusesSizesThatDoNotFit) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {int64_t{1} << 58});
  const TensorId y = g.Tensor("y", {int64_t{1} << 58});
  g.Add(OpKind::kRelu, {x}, {y});
  g.SetBoundary({x}, {y});
  const auto layout = PlanLiteRt(g.model());
  ASSERT_FALSE(layout.has_value());
  EXPECT_NE(layout.error().ToString().find("2^61"), std::string::npos);
}

}  // namespace
}  // namespace stowplan::engines
