// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/aliases.h"

#include "gtest/gtest.h"
#include "stowplan/schedule/test_graphs.h"

namespace stowplan::schedule {
namespace {

// The order in which views and a multiplication share bytes in a network
// around a normalisation: b is a view of a, c a view of b, and ADD reads b
// after MUL has written d.
constexpr std::string_view kViewChain = R"({
  "tensors": [
    {"id": 0, "name": "x", "shape": [64], "dtype": "f32", "kind": "input"},
    {"id": 1, "name": "a", "shape": [64], "dtype": "f32",
     "kind": "intermediate"},
    {"id": 2, "name": "b", "shape": [8, 8], "dtype": "f32",
     "kind": "intermediate"},
    {"id": 3, "name": "c", "shape": [64], "dtype": "f32",
     "kind": "intermediate"},
    {"id": 4, "name": "k", "shape": [1], "dtype": "f32", "kind": "constant"},
    {"id": 5, "name": "d", "shape": [64], "dtype": "f32",
     "kind": "intermediate"},
    {"id": 6, "name": "e", "shape": [64], "dtype": "f32", "kind": "output"}],
  "ops": [
    {"name": "conv", "type": "CONV_2D", "inputs": [0], "outputs": [1]},
    {"name": "r1", "type": "RESHAPE", "inputs": [1], "outputs": [2]},
    {"name": "r2", "type": "RESHAPE", "inputs": [2], "outputs": [3]},
    {"name": "mul", "type": "MUL", "inputs": [3, 4], "outputs": [5]},
    {"name": "add", "type": "ADD", "inputs": [5, 2], "outputs": [6]}]})";

TEST(AliasesTest, ViewsShareOneBuffer) {
  const graph::Model model = FromJson(kViewChain);
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_EQ(BufferOf(model, needs, "a"), BufferOf(model, needs, "b"));
  EXPECT_EQ(BufferOf(model, needs, "a"), BufferOf(model, needs, "c"));
}

TEST(AliasesTest, RefusesToOverwriteWhatAnotherViewStillNeeds) {
  const graph::Model model = FromJson(kViewChain);
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_NE(BufferOf(model, needs, "b"), BufferOf(model, needs, "d"));
  ASSERT_EQ(needs.refusals[0].size(), 1u);
  const Refusal& refusal = needs.refusals[0][0];
  EXPECT_EQ(refusal.op, graph::OperatorId(3));
  EXPECT_EQ(refusal.input, Find(model, "c").tensor);
  EXPECT_EQ(refusal.blocker, Find(model, "b").tensor);
  EXPECT_EQ(refusal.reason, "is read by operator 4");
}

TEST(AliasesTest, LastReaderMayOverwriteTheWholeClass) {
  const graph::Model model = FromJson(kViewChain);
  const MemoryNeeds needs = NeedsOf(model);
  // ADD is the last reader of d and of b: it takes the first of the two.
  EXPECT_EQ(BufferOf(model, needs, "e"), BufferOf(model, needs, "d"));
}

TEST(AliasesTest, EngineRuleLooksAtTheDirectInputOnlyAndErrs) {
  const graph::Model model = FromJson(kViewChain);
  const MemoryNeeds needs = NeedsOf(model, {.in_place = InPlace::kEngine});
  EXPECT_EQ(BufferOf(model, needs, "b"), BufferOf(model, needs, "d"));
}

TEST(AliasesTest, OffGivesEveryTensorItsOwnBuffer) {
  const graph::Model model = FromJson(kViewChain);
  const MemoryNeeds needs = NeedsOf(model, {.in_place = InPlace::kOff});
  EXPECT_EQ(needs.problem.size(), 6u);  // All but the constant.
}

TEST(AliasesTest, KeptTensorIsNotOverwritten) {
  const graph::Model model = FromJson(kViewChain);
  Rules rules;
  rules.keep = {Find(model, "d")};
  const MemoryNeeds needs = NeedsOf(model, rules);
  EXPECT_NE(BufferOf(model, needs, "e"), BufferOf(model, needs, "d"));
  EXPECT_EQ(LiveOf(model, needs, "d"), (plan::LiveRange{3, 5}));
}

constexpr std::string_view kUnary = R"({
  "tensors": [
    {"id": 0, "name": "x", "shape": [8], "dtype": "f32", "kind": "input"},
    {"id": 1, "name": "y", "shape": [8], "dtype": "f32", "kind": "output"}],
  "ops": [{"type": "RELU", "inputs": [0], "outputs": [1]}]})";

TEST(AliasesTest, OutputMayTakeADyingInputsBytesOnlyIfInputsAreRecycled) {
  const graph::Model model = FromJson(kUnary);
  EXPECT_EQ(NeedsOf(model).problem.size(), 1u);
  EXPECT_EQ(NeedsOf(model, {.inputs = Io::kKeep}).problem.size(), 2u);
}

TEST(AliasesTest, OperatorWithoutTheRightDoesNotShare) {
  std::string text(kUnary);
  text.replace(text.find("RELU"), 4, "CONV_2D");
  EXPECT_EQ(NeedsOf(FromJson(text)).problem.size(), 2u);
}

TEST(AliasesTest, GraphsOwnClaimOverridesTheTable) {
  std::string text(kUnary);
  text.replace(text.find("\"RELU\""), 6, R"("CONV_2D", "inplace": "in0")");
  EXPECT_EQ(NeedsOf(FromJson(text)).problem.size(), 1u);
  std::string none(kUnary);
  none.replace(none.find("\"RELU\""), 6, R"("RELU", "inplace": "none")");
  EXPECT_EQ(NeedsOf(FromJson(none)).problem.size(), 2u);
}

TEST(AliasesTest, BroadcastOperandIsNotOverwritten) {
  const graph::Model model = FromJson(R"({
    "tensors": [
      {"id": 0, "name": "x", "shape": [1, 4], "dtype": "f32", "kind": "input"},
      {"id": 1, "name": "z", "shape": [4, 1], "dtype": "f32", "kind": "input"},
      {"id": 2, "name": "y", "shape": [4, 4], "dtype": "f32",
       "kind": "output"}],
    "ops": [{"type": "ADD", "inputs": [0, 1], "outputs": [2]}]})");
  EXPECT_EQ(NeedsOf(model).problem.size(), 3u);
}

TEST(AliasesTest, OperandUsedTwiceIsOneReader) {
  const graph::Model model = FromJson(R"({
    "tensors": [
      {"id": 0, "name": "x", "shape": [8], "dtype": "f32", "kind": "input"},
      {"id": 1, "name": "y", "shape": [8], "dtype": "f32", "kind": "output"}],
    "ops": [{"type": "MUL", "inputs": [0, 0], "outputs": [1]}]})");
  EXPECT_EQ(NeedsOf(model).problem.size(), 1u);
  EXPECT_EQ(NeedsOf(model, {.in_place = InPlace::kEngine}).problem.size(), 1u);
}

TEST(AliasesTest, OperandThatMustStayIntactForbidsItsClass) {
  // PRELU may write over its input but not over its slopes, and here the
  // slopes are a view of the input.
  const graph::Model model = FromJson(R"({
    "tensors": [
      {"id": 0, "name": "x", "shape": [8], "dtype": "f32", "kind": "input"},
      {"id": 1, "name": "v", "shape": [1, 8], "dtype": "f32",
       "kind": "intermediate"},
      {"id": 2, "name": "y", "shape": [8], "dtype": "f32", "kind": "output"}],
    "ops": [
      {"type": "EXPAND_DIMS", "inputs": [0], "outputs": [1]},
      {"type": "PRELU", "inputs": [0, 1], "outputs": [2]}]})");
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_NE(BufferOf(model, needs, "x"), BufferOf(model, needs, "y"));
  EXPECT_EQ(BufferOf(model, needs, "x"), BufferOf(model, needs, "v"));
}

TEST(AliasesTest, OutputOfTheGraphIsNotOverwritten) {
  const graph::Model model = FromJson(R"({
    "tensors": [
      {"id": 0, "name": "x", "shape": [8], "dtype": "f32", "kind": "input"},
      {"id": 1, "name": "h", "shape": [8], "dtype": "f32", "kind": "output"},
      {"id": 2, "name": "y", "shape": [8], "dtype": "f32", "kind": "output"}],
    "ops": [
      {"type": "CONV_2D", "inputs": [0], "outputs": [1]},
      {"type": "RELU", "inputs": [1], "outputs": [2]}]})");
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_NE(BufferOf(model, needs, "h"), BufferOf(model, needs, "y"));
  ASSERT_EQ(needs.refusals[0].size(), 1u);
  EXPECT_EQ(needs.refusals[0][0].reason, "is wanted after the run");
  const MemoryNeeds recycled = NeedsOf(model, {.outputs = Io::kRecycle});
  EXPECT_EQ(BufferOf(model, recycled, "h"), BufferOf(model, recycled, "y"));
}

}  // namespace
}  // namespace stowplan::schedule
