// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/rights.h"

#include <gtest/gtest.h>

#include "stowplan/runtime/test_models.h"

namespace stowplan::runtime {
namespace {

using graph::InPlaceClaim;
using graph::TensorId;
using kernels::Needs;
using kernels::Node;

// Operator 0 of `type` on tensors of the shapes; the last one is the output.
graph::Subgraph One(const char* type, const std::vector<graph::Shape>& shapes) {
  graph::Subgraph subgraph;
  std::vector<int32_t> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    subgraph.tensors.push_back(MakeTensor("t", shapes[i]));
    if (i + 1 < shapes.size()) inputs.push_back(static_cast<int32_t>(i));
  }
  AddOperator(subgraph, type, inputs, {static_cast<int32_t>(inputs.size())});
  return subgraph;
}

std::optional<InPlaceClaim> Claim(const graph::Subgraph& subgraph,
                                  uint8_t rights) {
  return ClaimOf(subgraph, subgraph.operators[0], rights);
}

TEST(RightsTest, SaysNothingWhereTheTableSaysTheSame) {
  EXPECT_FALSE(Claim(One("ADD", {{4}, {4}, {4}}), 0b11));
  EXPECT_FALSE(Claim(One("CONV_2D", {{4}, {4}, {4}}), 0));
  EXPECT_FALSE(Claim(One("MyOperator", {{4}, {4}}), 0));
  EXPECT_FALSE(Claim(One("RESHAPE", {{4}, {4}}), 0));  // A view is one anyway.
  // An input of another shape cannot be written over at all.
  EXPECT_FALSE(Claim(One("ADD", {{4}, {1}, {4}}), 0b01));
}

TEST(RightsTest, TakesARightThatTheKernelDoesNotHave) {
  const auto none = Claim(One("ADD", {{4}, {4}, {4}}), 0);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->kind, InPlaceClaim::Kind::kNone);
  const auto second = Claim(One("ADD", {{4}, {4}, {4}}), 0b10);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->kind, InPlaceClaim::Kind::kOverwrite);
  EXPECT_EQ(second->input, 1u);
}

TEST(RightsTest, GivesARightThatTheTableDoesNotKnow) {
  const auto claim = Claim(One("MyOperator", {{2}, {4}, {4}}), 0b11);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->kind, InPlaceClaim::Kind::kOverwrite);
  EXPECT_EQ(claim->input, 1u);
}

TEST(RightsTest, LeavesAloneWhatTheGraphClaims) {
  graph::Subgraph subgraph = One("ADD", {{4}, {4}, {4}});
  subgraph.operators[0].in_place = {InPlaceClaim::Kind::kOverwrite, 0};
  EXPECT_FALSE(Claim(subgraph, 0));
}

Result<Needs> PrepareApart(const Node&) { return Needs{}; }
Result<Needs> PrepareInPlace(const Node&) {
  Needs needs;
  needs.in_place = 0b1;
  return needs;
}

// Right only if the output lies apart: the last element of the input is read
// after all of the output was written.
Status RunBackwards(const Node& node) {
  const auto* from = node.input(0)->As<float>();
  auto* to = node.output().As<float>();
  const int64_t count = node.output().shape.elements();
  for (int64_t i = 0; i < count; ++i) to[i] = 0;
  for (int64_t i = 0; i < count; ++i) to[i] = -from[i];
  return {};
}
Status RunForwards(const Node& node) {
  const auto* from = node.input(0)->As<float>();
  auto* to = node.output().As<float>();
  for (int64_t i = 0; i < node.output().shape.elements(); ++i) to[i] = -from[i];
  return {};
}

// A replaced kernel that cannot work in place is given bytes of its own,
// although the table knows the operator as one that can.
TEST(RightsTest, AReplacedKernelKeepsItsOperandsApart) {
  const graph::Model model = Chain();
  InterpreterOptions options;
  ASSERT_TRUE(options.registry.Add({"NEG", PrepareApart, RunBackwards}));
  auto interpreter = MakeInterpreter(model, options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(interpreter->memory().arena, 2 * 256);
  SetAll(*interpreter, 0, 3.0f);
  ASSERT_TRUE(interpreter->Invoke());
  EXPECT_NEAR(First(interpreter->output(0).value()), 3.0f, 1e-5);
}

TEST(RightsTest, AnOperatorOfOnesOwnWorksInPlaceIfItSaysSo) {
  graph::Model model = Chain();
  model.subgraphs[0].operators[0].type = "MyNeg";
  model.subgraphs[0].operators[0].kind = graph::OpKind::kCustom;
  for (bool in_place : {false, true}) {
    InterpreterOptions options;
    ASSERT_TRUE(options.registry.Add(
        {"MyNeg", in_place ? PrepareInPlace : PrepareApart, RunForwards}));
    auto interpreter = MakeInterpreter(model, options);
    ASSERT_TRUE(interpreter->AllocateTensors());
    EXPECT_EQ(interpreter->memory().arena, in_place ? 256 : 512);
    SetAll(*interpreter, 0, -2.0f);
    ASSERT_TRUE(interpreter->Invoke());
    EXPECT_NEAR(First(interpreter->output(0).value()), 2.0f, 1e-5);
  }
}

TEST(NeedsTest, SizesAndAlignmentsThatMakeNoSenseAreRefused) {
  const auto fits = [](Bytes scratch, Bytes persistent, Bytes alignment) {
    Needs needs;
    needs.scratch = scratch;
    needs.persistent = persistent;
    needs.alignment = alignment;
    return CheckNeeds(needs, 32, "operator 3").has_value();
  };
  EXPECT_TRUE(fits(0, 0, 16));
  EXPECT_TRUE(fits(5, 7, 32));
  EXPECT_TRUE(fits(0, 0, 64));  // Of nothing.
  EXPECT_FALSE(fits(1, 0, 64));
  EXPECT_FALSE(fits(-5, 0, 16));
  EXPECT_FALSE(fits(0, -4096, 16));
  EXPECT_FALSE(fits(INT64_MAX, 0, 16));
  for (Bytes alignment : {Bytes{0}, Bytes{3}, Bytes{-64}, Bytes{4096}}) {
    EXPECT_FALSE(fits(0, 0, alignment)) << alignment;
  }
}

TEST(NeedsTest, BuffersHaveToBeAlignedForElements) {
  EXPECT_FALSE(CheckAlignment(8));
  EXPECT_TRUE(CheckAlignment(16));
}

}  // namespace
}  // namespace stowplan::runtime
