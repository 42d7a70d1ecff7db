// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/loop_state.h"

#include <string>

#include "gtest/gtest.h"
#include "stowplan/schedule/test_graphs.h"

namespace stowplan::schedule {
namespace {

using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using plan::LiveRange;

// main:      (u, v) = WHILE(x, y); a = RELU(u)
// condition: k = CUSTOM(s), s a view of cu
// body:      (NEG(bu) over bu, bv as it is)
constexpr std::string_view kLoop = R"({
  "kind": "subgraphs",
  "main": {
    "tensors": [
      {"id": 0, "name": "x", "shape": [64], "dtype": "f32", "kind": "input"},
      {"id": 1, "name": "y", "shape": [32], "dtype": "f32", "kind": "input"},
      {"id": 2, "name": "u", "shape": [64], "dtype": "f32",
       "kind": "intermediate"},
      {"id": 3, "name": "v", "shape": [32], "dtype": "f32", "kind": "output"},
      {"id": 4, "name": "a", "shape": [64], "dtype": "f32",
       "kind": "output"}],
    "ops": [
      {"name": "loop", "type": "WHILE", "inputs": [0, 1], "outputs": [2, 3]},
      {"type": "RELU", "inputs": [2], "outputs": [4]}]},
  "subgraphs": {
    "cond": {
      "tensors": [
        {"id": 0, "name": "cu", "shape": [64], "dtype": "f32",
         "kind": "input"},
        {"id": 1, "name": "cv", "shape": [32], "dtype": "f32",
         "kind": "input"},
        {"id": 2, "name": "s", "shape": [8, 8], "dtype": "f32",
         "kind": "intermediate"},
        {"id": 3, "name": "go", "shape": [1], "dtype": "bool",
         "kind": "output"}],
      "ops": [
        {"type": "RESHAPE", "inputs": [0], "outputs": [2]},
        {"type": "CUSTOM", "inputs": [2], "outputs": [3]}]},
    "body": {
      "tensors": [
        {"id": 0, "name": "bu", "shape": [64], "dtype": "f32",
         "kind": "input"},
        {"id": 1, "name": "bv", "shape": [32], "dtype": "f32",
         "kind": "input"},
        {"id": 2, "name": "w", "shape": [64], "dtype": "f32",
         "kind": "output"}],
      "outputs": [2, 1],
      "ops": [{"type": "NEG", "inputs": [0], "outputs": [2]}]}},
  "calls": {"loop": ["cond", "body"]}})";

graph::Subgraph& Named(graph::Model* model, std::string_view name) {
  for (graph::Subgraph& subgraph : model->subgraphs) {
    if (subgraph.name == name) return subgraph;
  }
  ADD_FAILURE() << "no subgraph " << name;
  return model->subgraphs[0];
}

// Why the argument of that name lies apart; empty if it does not.
std::string WhyApart(const graph::Model& model, std::string_view name,
                     const Rules& rules = {}) {
  const MemoryNeeds needs = NeedsOf(model, rules);
  for (const LoopArgument& entry : FindLoopArguments(
           model, needs.timeline, needs.kinds, needs.aliases, rules)) {
    if (entry.argument != Find(model, name)) continue;
    const auto buffer = [&](graph::TensorRef tensor) {
      return needs.buffer_of[tensor.subgraph.index()][tensor.tensor.index()];
    };
    EXPECT_EQ(buffer(entry.argument) == buffer(entry.output),
              entry.apart_because.empty())
        << name;
    return std::string(entry.apart_because);
  }
  ADD_FAILURE() << "no argument " << name;
  return {};
}

constexpr char kElsewhere[] = "its subgraph is entered from elsewhere too";
constexpr char kBytes[] =
    "it and the output do not both have bytes in the arena, and as many";
constexpr char kFixed[] =
    "a tensor in its or the output's bytes is to be kept or lies in the "
    "caller's memory";
constexpr char kWritten[] = "the condition writes over it";
constexpr char kReturned[] =
    "its bytes hold a result that is none for the next round's argument";

TEST(LoopStateTest, TheStateOfALoopLiesInOneBuffer) {
  const graph::Model model = FromJson(kLoop);
  const MemoryNeeds needs = NeedsOf(model);
  for (std::string_view name : {"x", "cu", "s", "bu", "w", "a"}) {
    EXPECT_EQ(BufferOf(model, needs, name), BufferOf(model, needs, "u"));
  }
  for (std::string_view name : {"y", "cv", "bv"}) {
    EXPECT_EQ(BufferOf(model, needs, name), BufferOf(model, needs, "v"));
  }
  const auto u = BufferOf(model, needs, "u");
  EXPECT_EQ(needs.contents[u.index()].tensors.front(), Find(model, "x"));
  EXPECT_EQ(needs.contents[u.index()].tensors.size(), 7u);
  EXPECT_EQ(needs.problem.buffer(u).live, (LiveRange{0, 5}));
  // Two values and the condition's result.
  EXPECT_EQ(needs.max_live_bytes, 256 + 128 + 1);
}

TEST(LoopStateTest, OnlySafePlansShare) {
  const graph::Model model = FromJson(kLoop);
  for (InPlace in_place : {InPlace::kOff, InPlace::kEngine}) {
    const MemoryNeeds needs = NeedsOf(model, {.in_place = in_place});
    EXPECT_NE(BufferOf(model, needs, "bv"), BufferOf(model, needs, "v"));
    EXPECT_TRUE(FindLoopArguments(model, needs.timeline, needs.kinds,
                                  needs.aliases, needs.rules)
                    .empty());
  }
}

TEST(LoopStateTest, ASubgraphThatIsCalledFromElsewhereHasItsOwnArguments) {
  graph::Model model = FromJson(kLoop);
  EXPECT_EQ(WhyApart(model, "bu"), "");
  // A call that no run reaches counts: another entry may reach it.
  graph::Operator call;
  call.type = "CALL_ONCE";
  call.kind = OpKind::kCallOnce;
  call.callees = {Find(model, "bu").subgraph};
  model.subgraphs.emplace_back().operators.push_back(call);
  EXPECT_EQ(WhyApart(model, "bu"), kElsewhere);
  EXPECT_EQ(WhyApart(model, "cu"), "");
}

TEST(LoopStateTest, ConditionAndBodyInOneHaveTheirOwnArguments) {
  graph::Model model = FromJson(kLoop);
  graph::Operator& loop = model.subgraphs[0].operators[0];
  loop.callees[1] = loop.callees[0];
  EXPECT_EQ(WhyApart(model, "cu"), kElsewhere);
}

TEST(LoopStateTest, AnotherSizeOrAnUnknownOneLiesApart) {
  graph::Model model = FromJson(kLoop);
  graph::Subgraph& body = Named(&model, "body");
  body.tensors[1].shape = {{33}};
  EXPECT_EQ(WhyApart(model, "bv"), kBytes);
  body.tensors[1].shape = {{graph::kUnknownDim}};
  EXPECT_EQ(WhyApart(model, "bv"), kBytes);
  body.tensors[1].shape = {{32}};
  model.subgraphs[0].tensors[3].shape = {{graph::kUnknownDim}};
  EXPECT_EQ(WhyApart(model, "bv"), kBytes);
  EXPECT_EQ(WhyApart(model, "bu"), "");
}

TEST(LoopStateTest, AVariableLiesApart) {
  graph::Model model = FromJson(kLoop);
  Named(&model, "body").tensors[1].variable = true;
  EXPECT_EQ(WhyApart(model, "bv"), kBytes);
}

// Whether the loop's output lies in the bytes of the operand, as `rules` say.
bool StartsIn(const graph::Model& model, std::string_view output,
              std::string_view operand, const Rules& rules = {}) {
  const MemoryNeeds needs = NeedsOf(model, rules);
  return BufferOf(model, needs, output) == BufferOf(model, needs, operand);
}

TEST(LoopStateTest, AnOperandThatIsNeededLaterStaysAsItIs) {
  graph::Model model = FromJson(kLoop);
  EXPECT_TRUE(StartsIn(model, "u", "x"));
  EXPECT_FALSE(StartsIn(model, "u", "x", {.inputs = Io::kKeep}));
  EXPECT_FALSE(StartsIn(model, "u", "x", {.keep = {Find(model, "x")}}));
  EXPECT_FALSE(StartsIn(model, "u", "x", {.in_place = InPlace::kEngine}));
  EXPECT_FALSE(StartsIn(model, "u", "x", {.outside = {Find(model, "u")}}));
  model.subgraphs[0].operators[1].inputs = {TensorId(0)};
  EXPECT_FALSE(StartsIn(model, "u", "x"));
  EXPECT_TRUE(StartsIn(model, "v", "y"));
}

TEST(LoopStateTest, TwoStatesThatStartFromOneOperandAreTwo) {
  graph::Model model = FromJson(kLoop);
  model.subgraphs[0].operators[0].inputs[1] = TensorId(0);
  for (size_t s = 0; s < 3; ++s) {
    for (graph::Tensor& tensor : model.subgraphs[s].tensors) {
      if (tensor.shape == graph::Shape{32}) tensor.shape = {{64}};
    }
  }
  EXPECT_FALSE(StartsIn(model, "u", "x"));
  EXPECT_FALSE(StartsIn(model, "v", "x"));
}

TEST(LoopStateTest, ALoopWithAClaimOfItsOwnIsTakenAtItsWord) {
  graph::Model model = FromJson(kLoop);
  model.subgraphs[0].operators[0].in_place = {graph::InPlaceClaim::Kind::kNone,
                                              0};
  EXPECT_FALSE(StartsIn(model, "u", "x"));
  EXPECT_EQ(WhyApart(model, "bu"), "");
}

TEST(LoopStateTest, NothingLiesWithWhatIsKeptOrOutside) {
  const graph::Model model = FromJson(kLoop);
  for (std::string_view name : {"u", "a", "bu"}) {
    EXPECT_EQ(WhyApart(model, "bu", {.keep = {Find(model, name)}}), kFixed)
        << name;
    EXPECT_EQ(WhyApart(model, "bu", {.outside = {Find(model, name)}}), kFixed)
        << name;
  }
  EXPECT_EQ(WhyApart(model, "cu", {.outside = {Find(model, "a")}}), kFixed);
  EXPECT_EQ(WhyApart(model, "bv", {.outside = {Find(model, "a")}}), "");
}

TEST(LoopStateTest, AConditionThatWritesOverItsArgumentHasACopy) {
  graph::Model model = FromJson(kLoop);
  Named(&model, "cond").operators[0].type = "NEG";
  Named(&model, "cond").operators[0].kind = OpKind::kNeg;
  Named(&model, "cond").tensors[2].shape = {{64}};
  EXPECT_EQ(WhyApart(model, "cu"), kWritten);
  EXPECT_EQ(WhyApart(model, "bu"), "");
}

TEST(LoopStateTest, AConditionThatReturnsItsArgumentHasACopy) {
  graph::Model model = FromJson(kLoop);
  graph::Subgraph& condition = Named(&model, "cond");
  condition.outputs = {TensorId(2)};
  EXPECT_EQ(WhyApart(model, "cu"), kReturned);
  condition.outputs = {TensorId(1)};
  EXPECT_EQ(WhyApart(model, "cv"), kReturned);
  EXPECT_EQ(WhyApart(model, "cu"), "");
}

TEST(LoopStateTest, ArgumentsThatChangePlacesHaveCopies) {
  graph::Model model = FromJson(kLoop);
  graph::Subgraph& body = Named(&model, "body");
  body.outputs = {TensorId(1), TensorId(2)};
  EXPECT_EQ(WhyApart(model, "bu"), kReturned);
  EXPECT_EQ(WhyApart(model, "bv"), kReturned);
  EXPECT_EQ(WhyApart(model, "cu"), "");
}

TEST(LoopStateTest, AValueThatIsReturnedTwiceHasACopy) {
  graph::Model model = FromJson(kLoop);
  Named(&model, "body").outputs = {TensorId(2), TensorId(2)};
  EXPECT_EQ(WhyApart(model, "bu"), kReturned);
  EXPECT_EQ(WhyApart(model, "bv"), "");
}

}  // namespace
}  // namespace stowplan::schedule
