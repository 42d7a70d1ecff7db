// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/memory_needs.h"

#include <string>

#include "gtest/gtest.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/schedule/test_graphs.h"

namespace stowplan::schedule {
namespace {

using plan::LiveRange;

// x -> a -> b -> y, and a second output of the first operator that nobody
// reads.
constexpr std::string_view kChain = R"({
  "tensors": [
    {"id": 0, "name": "x", "shape": [100], "dtype": "u8", "kind": "input"},
    {"id": 1, "name": "a", "shape": [64], "dtype": "u8",
     "kind": "intermediate"},
    {"id": 2, "name": "unread", "shape": [64], "dtype": "u8",
     "kind": "intermediate"},
    {"id": 3, "name": "b", "shape": [128], "dtype": "u8",
     "kind": "intermediate"},
    {"id": 4, "name": "y", "shape": [64], "dtype": "u8", "kind": "output"}],
  "ops": [
    {"type": "CUSTOM", "inputs": [0], "outputs": [1, 2]},
    {"type": "CONV_2D", "inputs": [1], "outputs": [3]},
    {"type": "CONV_2D", "inputs": [3], "outputs": [4]}]})";

TEST(MemoryNeedsTest, TensorsLiveFromProducerToLastReader) {
  const graph::Model model = FromJson(kChain);
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_EQ(LiveOf(model, needs, "x"), (LiveRange{0, 1}));
  EXPECT_EQ(LiveOf(model, needs, "a"), (LiveRange{0, 2}));
  EXPECT_EQ(LiveOf(model, needs, "b"), (LiveRange{1, 3}));
  EXPECT_EQ(LiveOf(model, needs, "y"), (LiveRange{2, 3}));
}

TEST(MemoryNeedsTest, OutputThatNobodyReadsLivesOneStep) {
  const graph::Model model = FromJson(kChain);
  EXPECT_EQ(LiveOf(model, NeedsOf(model), "unread"), (LiveRange{0, 1}));
}

TEST(MemoryNeedsTest, KeptInputLivesToTheEnd) {
  const graph::Model model = FromJson(kChain);
  const MemoryNeeds needs = NeedsOf(model, {.inputs = Io::kKeep});
  EXPECT_EQ(LiveOf(model, needs, "x"), (LiveRange{0, 3}));
}

TEST(MemoryNeedsTest, BuffersAreRoundedToTheAlignmentAndBytesAreNot) {
  const graph::Model model = FromJson(kChain);
  const MemoryNeeds needs = NeedsOf(model);
  const plan::BufferId x = BufferOf(model, needs, "x");
  EXPECT_EQ(needs.problem.buffer(x).size, 128);
  EXPECT_EQ(needs.contents[x.index()].bytes, 100);
  EXPECT_EQ(needs.max_live_bytes, 100 + 64 + 64);
  EXPECT_EQ(needs.naive_bytes, 128 + 64 + 64 + 128 + 64);
  EXPECT_EQ(plan::LowerBound(needs.problem).bytes, 128 + 64 + 64);
}

TEST(MemoryNeedsTest, RefusesAnAlignmentThatIsNoPowerOfTwo) {
  const graph::Model model = FromJson(kChain);
  const auto needs = FindMemoryNeeds(model, {.alignment = 48});
  ASSERT_FALSE(needs.has_value());
  EXPECT_EQ(needs.error().kind, ErrorKind::kUsage);
}

TEST(MemoryNeedsTest, ScratchLivesDuringItsOperatorOnly) {
  std::string text(kChain);
  text.replace(text.find("\"CONV_2D\""), 9, R"("CONV_2D", "scratch": 10)");
  const graph::Model model = FromJson(text);
  const MemoryNeeds needs = NeedsOf(model);
  const BufferContent& content = needs.contents.back();
  EXPECT_EQ(content.scratch_of.op, graph::OperatorId(1));
  EXPECT_EQ(content.bytes, 10);
  EXPECT_EQ(needs.problem.buffers().back().live, (LiveRange{1, 2}));
}

// The graph of a public report on plans that let a branch overwrite what its
// caller still needs: `skip` must survive the IF.
constexpr std::string_view kIf = R"({
  "kind": "subgraphs",
  "main": {
    "tensors": [
      {"id": 0, "name": "x", "shape": [32, 32, 3], "dtype": "u8",
       "kind": "input"},
      {"id": 1, "name": "a", "shape": [32, 32, 8], "dtype": "u8",
       "kind": "intermediate"},
      {"id": 2, "name": "skip", "shape": [32, 32, 8], "dtype": "u8",
       "kind": "intermediate"},
      {"id": 3, "name": "cond", "shape": [1], "dtype": "u8",
       "kind": "intermediate"},
      {"id": 4, "name": "b", "shape": [32, 32, 8], "dtype": "u8",
       "kind": "intermediate"},
      {"id": 5, "name": "y", "shape": [32, 32, 8], "dtype": "u8",
       "kind": "output"}],
    "ops": [
      {"name": "m0", "type": "CONV_2D", "inputs": [0], "outputs": [1]},
      {"name": "m1", "type": "CONV_2D", "inputs": [0], "outputs": [2]},
      {"name": "m2", "type": "REDUCE_ANY", "inputs": [1], "outputs": [3]},
      {"name": "m3", "type": "IF", "inputs": [3, 1], "outputs": [4]},
      {"name": "m4", "type": "ADD", "inputs": [4, 2], "outputs": [5]}]},
  "subgraphs": {
    "then": {
      "tensors": [
        {"id": 0, "name": "ti", "shape": [32, 32, 8], "dtype": "u8",
         "kind": "input"},
        {"id": 1, "name": "t1", "shape": [32, 32, 32], "dtype": "u8",
         "kind": "intermediate"},
        {"id": 2, "name": "to", "shape": [32, 32, 8], "dtype": "u8",
         "kind": "output"}],
      "ops": [
        {"name": "tc1", "type": "CONV_2D", "inputs": [0], "outputs": [1]},
        {"name": "tc2", "type": "CONV_2D", "inputs": [1], "outputs": [2]}]},
    "else": {
      "tensors": [
        {"id": 0, "name": "ei", "shape": [32, 32, 8], "dtype": "u8",
         "kind": "input"},
        {"id": 1, "name": "e1", "shape": [16, 16, 16], "dtype": "u8",
         "kind": "intermediate"},
        {"id": 2, "name": "eo", "shape": [32, 32, 8], "dtype": "u8",
         "kind": "output"}],
      "ops": [
        {"name": "ec1", "type": "CONV_2D", "inputs": [0], "outputs": [1]},
        {"name": "ec2", "type": "RESIZE", "inputs": [1], "outputs": [2]}]}},
  "calls": {"m3": ["then", "else"]}})";

TEST(MemoryNeedsTest, CallersLiveTensorsStayThroughTheBranches) {
  const graph::Model model = FromJson(kIf);
  const MemoryNeeds needs = NeedsOf(model);
  ASSERT_EQ(needs.timeline.end(), 9);
  EXPECT_EQ(needs.timeline.steps[3].span, (LiveRange{3, 8}));
  for (std::string_view name : {"a", "cond", "b", "skip"}) {
    const LiveRange live = LiveOf(model, needs, name);
    EXPECT_LE(live.begin, 3) << name;
    EXPECT_GE(live.end, 8) << name;
  }
  EXPECT_EQ(needs.max_live_bytes, 24577 + 40960);
}

TEST(MemoryNeedsTest, BranchesShareBytes) {
  const graph::Model model = FromJson(kIf);
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_EQ(LiveOf(model, needs, "ti"), (LiveRange{4, 5}));
  EXPECT_EQ(LiveOf(model, needs, "to"), (LiveRange{5, 6}));
  EXPECT_EQ(LiveOf(model, needs, "ei"), (LiveRange{6, 7}));
  EXPECT_FALSE(
      plan::Intersects(LiveOf(model, needs, "t1"), LiveOf(model, needs, "e1")));
}

TEST(MemoryNeedsTest, FoldsConstantsIntoPersistentMemory) {
  const graph::Model model = FromJson(R"({
    "tensors": [
      {"id": 0, "name": "x", "shape": [8], "dtype": "f32", "kind": "input"},
      {"id": 1, "name": "w16", "shape": [8], "dtype": "f16",
       "kind": "constant"},
      {"id": 2, "name": "w", "shape": [8], "dtype": "f32",
       "kind": "intermediate"},
      {"id": 3, "name": "wv", "shape": [2, 4], "dtype": "f32",
       "kind": "intermediate"},
      {"id": 4, "name": "y", "shape": [8], "dtype": "f32", "kind": "output"}],
    "ops": [
      {"type": "DEQUANTIZE", "inputs": [1], "outputs": [2]},
      {"type": "RESHAPE", "inputs": [2], "outputs": [3]},
      {"type": "FULLY_CONNECTED", "inputs": [0, 3], "outputs": [4]}]})");
  const MemoryNeeds folded = NeedsOf(model);
  EXPECT_EQ(KindOf(model, folded, "w").kind, Kind::kPersistent);
  EXPECT_EQ(KindOf(model, folded, "wv").kind, Kind::kPersistent);
  EXPECT_EQ(folded.persistent_bytes, 64);  // The view has no bytes of its own.
  EXPECT_EQ(folded.problem.size(), 2u);

  const MemoryNeeds other = NeedsOf(model, {.fold_constants = false});
  EXPECT_EQ(KindOf(model, other, "w").kind, Kind::kArena);
  EXPECT_EQ(other.persistent_bytes, 0);
}

TEST(MemoryNeedsTest, HandlesOfOneVariableShareItsBytes) {
  const graph::Model model = FromJson(R"({
    "kind": "subgraphs",
    "main": {
      "tensors": [
        {"id": 0, "name": "h", "shape": [], "dtype": "resource",
         "kind": "intermediate"},
        {"id": 1, "name": "old", "shape": [100], "dtype": "u8",
         "kind": "output"}],
      "ops": [
        {"name": "once", "type": "CALL_ONCE", "inputs": [], "outputs": []},
        {"type": "VAR_HANDLE", "inputs": [], "outputs": [0],
         "attributes": {"container": "", "shared_name": "state"}},
        {"type": "READ_VARIABLE", "inputs": [0], "outputs": [1]}]},
    "subgraphs": {"init": {
      "tensors": [
        {"id": 0, "name": "h0", "shape": [], "dtype": "resource",
         "kind": "intermediate"},
        {"id": 1, "name": "zero", "shape": [100], "dtype": "u8",
         "kind": "constant"}],
      "ops": [
        {"type": "VAR_HANDLE", "inputs": [], "outputs": [0],
         "attributes": {"container": "", "shared_name": "state"}},
        {"type": "ASSIGN_VARIABLE", "inputs": [0, 1], "outputs": []}]}},
    "calls": {"once": ["init"]}})");
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_EQ(KindOf(model, needs, "h").kind, Kind::kPersistent);
  EXPECT_EQ(KindOf(model, needs, "h0").bytes, 100);
  EXPECT_EQ(needs.persistent_bytes, 128);
  EXPECT_EQ(needs.persistent_offset[0][0], needs.persistent_offset[1][0]);
}

TEST(MemoryNeedsTest, HandleThatALoopHandsOnIsStillItsVariable) {
  const graph::Model model = FromJson(R"({
    "kind": "subgraphs",
    "main": {
      "tensors": [
        {"id": 0, "name": "h", "shape": [], "dtype": "resource",
         "kind": "intermediate"},
        {"id": 1, "name": "after", "shape": [], "dtype": "resource",
         "kind": "intermediate"},
        {"id": 2, "name": "value", "shape": [100], "dtype": "u8",
         "kind": "output"}],
      "ops": [
        {"type": "VAR_HANDLE", "inputs": [], "outputs": [0],
         "attributes": {"container": "", "shared_name": "state"}},
        {"name": "loop", "type": "WHILE", "inputs": [0], "outputs": [1]},
        {"type": "READ_VARIABLE", "inputs": [1], "outputs": [2]}]},
    "subgraphs": {
      "cond": {
        "tensors": [
          {"id": 0, "name": "ch", "shape": [], "dtype": "resource",
           "kind": "input"},
          {"id": 1, "name": "go", "shape": [], "dtype": "bool",
           "kind": "output"}],
        "ops": [{"type": "CUSTOM", "inputs": [0], "outputs": [1]}]},
      "body": {
        "tensors": [
          {"id": 0, "name": "bh", "shape": [], "dtype": "resource",
           "kind": "input"}],
        "inputs": [0], "outputs": [0], "ops": []}},
    "calls": {"loop": ["cond", "body"]}})");
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_TRUE(needs.kinds.dynamic.empty());
  EXPECT_EQ(KindOf(model, needs, "after").kind, Kind::kPersistent);
  EXPECT_EQ(needs.persistent_bytes, 128);
}

TEST(MemoryNeedsTest, ViewOfAConstantFollowsTheGraphsOwnClaim) {
  constexpr std::string_view kView = R"({
    "tensors": [
      {"id": 0, "name": "k", "shape": [8], "dtype": "u8", "kind": "constant"},
      {"id": 1, "name": "v", "shape": [2, 4], "dtype": "u8",
       "kind": "intermediate"},
      {"id": 2, "name": "y", "shape": [8], "dtype": "u8", "kind": "output"}],
    "ops": [
      {"type": "RESHAPE", "inputs": [0], "outputs": [1]},
      {"type": "CONV_2D", "inputs": [1], "outputs": [2]}]})";
  const graph::Model model = FromJson(kView);
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_EQ(KindOf(model, needs, "v").kind, Kind::kMapped);
  EXPECT_EQ(needs.aliases[0].alias_of[1], graph::TensorId(0));
  std::string none(kView);
  none.replace(none.find("\"RESHAPE\""), 9, R"("RESHAPE", "inplace": "none")");
  EXPECT_EQ(KindOf(model, NeedsOf(FromJson(none)), "v").kind, Kind::kArena);
  std::string custom(kView);
  custom.replace(custom.find("\"RESHAPE\""), 9,
                 R"("CUSTOM", "inplace": "view")");
  EXPECT_EQ(KindOf(model, NeedsOf(FromJson(custom)), "v").kind, Kind::kMapped);
}

TEST(MemoryNeedsTest, TensorsOfUnknownSizeAreDynamicAndSayWhy) {
  const graph::Model model = FromJson(R"({
    "tensors": [
      {"id": 0, "name": "x", "shape": [8], "dtype": "f32", "kind": "input"},
      {"id": 1, "name": "where", "shape": [-1, 1], "dtype": "i64",
       "kind": "output"}],
    "ops": [{"type": "WHERE", "inputs": [0], "outputs": [1]}]})");
  const MemoryNeeds needs = NeedsOf(model);
  ASSERT_EQ(needs.kinds.dynamic.size(), 1u);
  EXPECT_EQ(needs.kinds.dynamic[0].because.op, graph::OperatorId(0));
  EXPECT_EQ(needs.kinds.dynamic[0].reason, "a dimension is not known");
  EXPECT_EQ(needs.problem.size(), 1u);
}

TEST(TimelineTest, RefusesCallTreesThatExplode) {
  graph::Model model;
  constexpr int kDepth = 40;
  for (int i = 0; i < kDepth; ++i) {
    graph::Subgraph& subgraph = model.subgraphs.emplace_back();
    for (int call = 0; call < 2 && i + 1 < kDepth; ++call) {
      graph::Operator& op = subgraph.operators.emplace_back();
      op.callees = {graph::SubgraphId(i + 1)};
    }
  }
  const auto timeline = MakeTimeline(model, graph::SubgraphId(0));
  ASSERT_FALSE(timeline.has_value());
  EXPECT_EQ(timeline.error().kind, ErrorKind::kBadInput);
}

TEST(TimelineTest, SubgraphCalledTwiceHasTheHullOfItsRanges) {
  const graph::Model model = FromJson(R"({
    "kind": "subgraphs",
    "main": {
      "tensors": [
        {"id": 0, "name": "c", "shape": [1], "dtype": "bool", "kind": "input"},
        {"id": 1, "name": "x", "shape": [8], "dtype": "u8", "kind": "input"},
        {"id": 2, "name": "a", "shape": [8], "dtype": "u8",
         "kind": "intermediate"},
        {"id": 3, "name": "y", "shape": [8], "dtype": "u8", "kind": "output"}],
      "ops": [
        {"name": "i", "type": "IF", "inputs": [0, 1], "outputs": [2]},
        {"name": "j", "type": "IF", "inputs": [0, 2], "outputs": [3]}]},
    "subgraphs": {"f": {
      "tensors": [
        {"id": 0, "name": "fi", "shape": [8], "dtype": "u8", "kind": "input"},
        {"id": 1, "name": "fo", "shape": [8], "dtype": "u8",
         "kind": "output"}],
      "ops": [{"type": "CONV_2D", "inputs": [0], "outputs": [1]}]}},
    "calls": {"i": ["f", "f"], "j": ["f", "f"]}})");
  const MemoryNeeds needs = NeedsOf(model);
  EXPECT_EQ(needs.timeline.end(), 6);
  EXPECT_EQ(LiveOf(model, needs, "fi"), (LiveRange{1, 6}));
}

}  // namespace
}  // namespace stowplan::schedule
