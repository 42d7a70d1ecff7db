// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/compare.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/engines/litert.h"
#include "stowplan/engines/stowplan.h"
#include "stowplan/engines/test_graph.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::engines {
namespace {

using graph::OpKind;
using graph::TensorId;

Account LiteRtsAccount(const graph::Model& model) {
  const auto layout = PlanLiteRt(model);
  EXPECT_TRUE(layout.has_value());
  auto account = ExplainArena(model, *layout);
  EXPECT_TRUE(account.has_value());
  return *std::move(account);
}

const Reason& Of(const Account& account, Cause cause) {
  return account.reasons.at(static_cast<size_t>(cause));
}

Bytes Sum(const std::vector<Reason>& reasons) {
  Bytes sum = 0;
  for (const Reason& reason : reasons) sum += reason.bytes;
  return sum;
}

TEST(CompareTest, NamesAKeptInput) {
  TestGraph g;
  const TensorId x = g.Tensor("image", {256});
  const TensorId a = g.Tensor("a", {256});
  const TensorId b = g.Tensor("b", {256});
  g.Add(OpKind::kAveragePool2d, {x}, {a});
  g.Add(OpKind::kAveragePool2d, {a}, {b});
  g.SetBoundary({x}, {b});
  const Account account = LiteRtsAccount(g.model());
  EXPECT_EQ(account.arena, 3072);
  EXPECT_EQ(Of(account, Cause::kLiveTensors).bytes, 2048);
  EXPECT_EQ(Of(account, Cause::kKeptInputs).bytes, 1024);
  EXPECT_EQ(Of(account, Cause::kKeptInputs).text,
            "inputs that are kept: tensor 0 (image), 1024 bytes");
  EXPECT_EQ(Sum(account.reasons), account.arena);
}

TEST(CompareTest, NamesAnOutputThatNobodyReads) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {256});
  const TensorId a = g.Tensor("a", {64});
  const TensorId dead = g.Tensor("dead", {192});
  const TensorId b = g.Tensor("b", {256});
  const TensorId y = g.Tensor("y", {256});
  const TensorId axis = g.Constant("axis", {}, DType::kInt32);
  g.Add(OpKind::kAveragePool2d, {x}, {b});
  g.Add(OpKind::kSplit, {axis, b}, {a, dead});
  g.Add(OpKind::kTile, {a, axis}, {y});
  g.SetBoundary({x}, {y});
  const Account account = LiteRtsAccount(g.model());
  EXPECT_EQ(Of(account, Cause::kUnreadOutputs).text,
            "outputs that nobody reads and that are kept: tensor 2 (dead), "
            "768 bytes");
  EXPECT_EQ(Sum(account.reasons), account.arena);
}

TEST(CompareTest, NamesScratchAndGivesTheDifferenceToOurs) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {1, 8, 8, 4});
  const TensorId w = g.Constant("w", {4, 3, 3, 4});
  const TensorId y = g.Tensor("y", {1, 8, 8, 4});
  g.Add(OpKind::kConv2d, {x, w}, {y});
  g.SetBoundary({x}, {y});
  const Account theirs = LiteRtsAccount(g.model());
  EXPECT_EQ(Of(theirs, Cause::kScratch).bytes, 9216);
  EXPECT_EQ(Of(theirs, Cause::kScratch).text,
            "at step 0: im2col of operator 0 (CONV_2D), 9216 bytes");
  const auto needs = schedule::FindMemoryNeeds(g.model(), {});
  ASSERT_TRUE(needs.has_value());
  const auto ours =
      ExplainArena(g.model(), PlanStowplan(g.model(), *needs, {{0, 1024}}));
  ASSERT_TRUE(ours.has_value());
  const auto reasons = CompareArenas(theirs, *ours);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].cause, Cause::kScratch);
  EXPECT_EQ(Sum(reasons), theirs.arena - ours->arena);
}

TEST(CompareTest, GivesAWorsePlacementAsAGap) {
  TestGraph g;
  const TensorId x = g.Tensor("x", {16});
  const TensorId y = g.Tensor("y", {16});
  g.Add(OpKind::kConv2d, {x}, {y});
  g.SetBoundary({x}, {y});
  const auto needs = schedule::FindMemoryNeeds(g.model(), {});
  ASSERT_TRUE(needs.has_value());
  const auto account =
      ExplainArena(g.model(), PlanStowplan(g.model(), *needs, {{0, 640}}));
  ASSERT_TRUE(account.has_value());
  EXPECT_EQ(Of(*account, Cause::kGap).bytes, 576);
}

}  // namespace
}  // namespace stowplan::engines
