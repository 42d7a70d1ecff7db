// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/infer_shapes.h"

#include "gtest/gtest.h"
#include "stowplan/graph/check.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/graph/shape_context.h"

namespace stowplan::graph {
namespace {

Model Read(std::string_view text) {
  Result<Model> model = ReadGraphJson(text);
  EXPECT_TRUE(model.has_value()) << model.error().ToString();
  return model ? *std::move(model) : Model();
}

// All shapes of the subgraph, "?" for one of unknown rank.
std::string ShapesOf(const Model& model, size_t subgraph = 0) {
  std::string text;
  for (const Tensor& tensor : model.subgraphs[subgraph].tensors) {
    text += (text.empty() ? "" : " ") +
            (tensor.shape ? ToString(*tensor.shape) : "?");
  }
  return text;
}

// The shapes after inference, or the error.
std::string Inferred(std::string_view text,
                     const ShapeOverrides& overrides = {}) {
  Model model = Read(text);
  const auto report = InferShapes(&model, overrides);
  return report ? ShapesOf(model) : report.error().ToString();
}

// "tensor: operator reason" of all that stays open.
std::string Unknown(std::string_view text,
                    const ShapeOverrides& overrides = {}) {
  Model model = Read(text);
  const auto report = InferShapes(&model, overrides);
  if (!report) return report.error().ToString();
  std::string result;
  for (const UnknownShape& unknown : report->unknown) {
    result += std::to_string(unknown.tensor.subgraph.value()) + "." +
              std::to_string(unknown.tensor.tensor.value()) + ": " +
              std::to_string(unknown.because.op.value()) + " " +
              unknown.reason + "\n";
  }
  return result;
}

// x [1 4] -> RELU -> FANCY -> y, with what the tensors say besides.
std::string Fancy(const std::string& middle, const std::string& end) {
  return R"({"ops": [{"type": "RELU", "inputs": [0], "outputs": [1]},
                     {"type": "FANCY", "inputs": [1], "outputs": [2]}],
    "tensors": [
      {"name": "x", "shape": [1, 4], "dtype": "f32", "kind": "input"},
      {"dtype": "f32", )" +
         middle + R"(},
      {"name": "y", "dtype": "f32", "kind": "output", )" +
         end + "}]}";
}

TEST(InferShapesTest, BelievesWhatTheFileStates) {
  // The rule would say [1, 4]: an engine that differs is not our concern.
  EXPECT_EQ(Inferred(Fancy("\"shape\": [9]", "\"shape\": [1, 5]")),
            "[1, 4] [9] [1, 5]");
}

TEST(InferShapesTest, ComputesWhatTheFileLeavesOpen) {
  EXPECT_EQ(Inferred(Fancy("\"shape\": null", "\"shape\": [1, 5]")),
            "[1, 4] [1, 4] [1, 5]");
  EXPECT_EQ(Inferred(Fancy("\"shape\": [-1, 4]", "\"shape\": [1, 5]")),
            "[1, 4] [1, 4] [1, 5]");
  // Files store 1 where the signature is open.
  EXPECT_EQ(Inferred(Fancy("\"shape\": [1, 1], \"signature\": [-1, -1]",
                           "\"shape\": [1, 5]")),
            "[1, 4] [1, 4] [1, 5]");
}

TEST(InferShapesTest, AnOverrideMakesStoredShapesBehindItStale) {
  const std::string text = Fancy("\"shape\": [1, 4]", "\"shape\": [1, 5]");
  EXPECT_EQ(Inferred(text, {{"x", {2, 4}}}), "[2, 4] [2, 4] ?");
  EXPECT_EQ(Unknown(text, {{"x", {2, 4}}}),
            "0.2: 1 no rule says what shape FANCY gives\n");
  EXPECT_EQ(Inferred(text, {{"x", {1, 4}}}), "[1, 4] [1, 4] [1, 5]");
}

TEST(InferShapesTest, ASizeWithoutShapeHoldsAsLongAsTheInputs) {
  const std::string text = Fancy("\"shape\": [1, 4]", "\"bytes\": 100");
  Model model = Read(text);
  auto report = InferShapes(&model, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->unknown.empty());
  EXPECT_EQ(SizeOf(model.subgraphs[0].tensors[2]), 100);
  report = InferShapes(&model, {{"x", {2, 4}}});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->unknown.size(), 1u);
  EXPECT_EQ(SizeOf(model.subgraphs[0].tensors[2]), std::nullopt);
}

TEST(InferShapesTest, TakesBackWhatItDid) {
  for (const char* end : {"\"shape\": [1, 5]", "\"bytes\": 100"}) {
    Model model = Read(Fancy("\"shape\": null", end));
    const std::string before = WriteGraphJson(model);
    for (int64_t batch : {2, 3}) {
      const auto report = InferShapes(&model, {{"x", {batch, 4}}});
      ASSERT_TRUE(report) << report.error().ToString();
      EXPECT_EQ(model.subgraphs[0].tensors[1].shape, (Shape{batch, 4}));
      RestoreShapes(*report, &model);
      EXPECT_EQ(WriteGraphJson(model), before);
    }
  }
}

TEST(InferShapesTest, RefusesOverridesThatMakeNoSense) {
  const std::string text = Fancy("\"shape\": [1, 4]", "\"shape\": [1, 5]");
  EXPECT_EQ(Inferred(text, {{"y", {2, 4}}}),
            "the shape of \"y\": no input has that name; the inputs are x");
  EXPECT_EQ(Inferred(text, {{"x", {4}}}),
            "the shape of \"x\": [4] has not as many dimensions as [1, 4]; "
            "give 2 dimensions");
  EXPECT_EQ(Inferred(text, {{"x", {2, -1}}}),
            "the shape of \"x\": -1 is no dimension; give all dimensions, as "
            "in 1,640,640,3");
  EXPECT_EQ(Inferred(text, {{"x", {int64_t{1} << 40, int64_t{1} << 40}}}),
            "tensor 0 (x): the size in bytes does not fit in 64 bits; give "
            "smaller dimensions");
}

TEST(InferShapesTest, SaysWhichOperatorCannotWork) {
  const std::string text =
      R"({"ops": [{"type": "ADD", "inputs": [0, 1], "outputs": [2]}],
    "tensors": [
      {"name": "x", "shape": [1, 4], "dtype": "f32", "kind": "input"},
      {"name": "k", "shape": [4], "dtype": "f32", "kind": "constant"},
      {"name": "y", "shape": [1, 4], "dtype": "f32", "kind": "output"}]})";
  EXPECT_EQ(Inferred(text, {{"x", {1, 3}}}),
            "operator 0 (ADD): cannot broadcast 3 against 4 (inputs: tensor 0 "
            "(x) [1, 3], tensor 1 (k) [4]); check the shapes given for the "
            "inputs");
}

TEST(InferShapesTest, RefusesSizesThatDoNotFit) {
  EXPECT_EQ(
      Inferred(
          R"({"ops": [{"type": "TILE", "inputs": [0, 1], "outputs": [2]}],
    "tensors": [
      {"shape": [1000000, 1], "dtype": "f32", "kind": "input"},
      {"shape": [2], "dtype": "i64", "kind": "constant",
       "value": [1000000, 10000000]},
      {"name": "y", "shape": null, "dtype": "f32"}]})"),
      "operator 0 (TILE): the size of tensor 2 (y) does not fit in 64 bits; "
      "check the shapes given for the inputs");
}

TEST(InferShapesTest, FindsInputsByTheNameThatASignatureGives) {
  Model model = Read(Fancy("\"shape\": null", "\"shape\": null"));
  model.signatures.push_back(
      {"run", SubgraphId(0), {{"image", TensorId(0)}}, {}});
  ASSERT_TRUE(InferShapes(&model, {{"image", {7, 4}}}).has_value());
  EXPECT_EQ(ShapesOf(model), "[7, 4] [7, 4] ?");
}

// A flatten that computes its own target, as converters write it:
// SHAPE -> STRIDED_SLICE [0:1] -> PACK with 12 -> RESHAPE.
constexpr std::string_view kFlatten = R"({
  "ops": [
    {"type": "SHAPE", "inputs": [0], "outputs": [1]},
    {"type": "STRIDED_SLICE", "inputs": [1, 2, 3, 3], "outputs": [4],
     "attributes": {"shrink_axis_mask": 1}},
    {"type": "PACK", "inputs": [4, 5], "outputs": [6],
     "attributes": {"axis": 0, "values_count": 2}},
    {"type": "RESHAPE", "inputs": [0, 6], "outputs": [7]}],
  "tensors": [
    {"name": "x", "shape": [1, 3, 4], "signature": [-1, 3, 4],
     "dtype": "f32", "kind": "input"},
    {"shape": [3], "dtype": "i32"},
    {"shape": [1], "dtype": "i32", "kind": "constant", "value": [0]},
    {"shape": [1], "dtype": "i32", "kind": "constant", "value": [1]},
    {"shape": [], "dtype": "i32"},
    {"shape": [], "dtype": "i32", "kind": "constant", "value": [12]},
    {"shape": [2], "dtype": "i32"},
    {"name": "y", "shape": [1, 12], "signature": [-1, 12], "dtype": "f32",
     "kind": "output"}]})";

TEST(InferShapesTest, FollowsTheContentOfShapes) {
  EXPECT_EQ(Inferred(kFlatten), "[1, 3, 4] [3] [1] [1] [] [] [2] [1, 12]");
  EXPECT_EQ(Inferred(kFlatten, {{"x", {5, 3, 4}}}),
            "[5, 3, 4] [3] [1] [1] [] [] [2] [5, 12]");
  EXPECT_NE(Inferred(kFlatten, {{"x", {5, 3, 3}}}).find("cannot arrange"),
            std::string::npos);
}

TEST(InferShapesTest, KeepsWhatIsKnownOfAnOpenShape) {
  std::string open(kFlatten);
  open.replace(open.find("[1, 3, 4]"), 9, "[-1, 3, 4]");
  EXPECT_EQ(Inferred(open), "[-1, 3, 4] [3] [1] [1] [] [] [2] [-1, 12]");
  EXPECT_EQ(Unknown(open),
            "0.0: -1 the model leaves the shape of an input open\n"
            "0.7: -1 the model leaves the shape of an input open\n");
}

// y = OP(constants) as the shape of a FILL.
std::string Computed(const std::string& type, const std::string& inputs,
                     const std::string& tensors, const std::string& shape,
                     const std::string& attributes = "{}") {
  const std::string result = Inferred(
      "{\"ops\": [{\"type\": \"" + type + "\", \"inputs\": " + inputs +
      ", \"outputs\": [3], \"attributes\": " + attributes +
      "}, {\"type\": \"FILL\", \"inputs\": [3, 4], \"outputs\": [5]}], "
      "\"tensors\": [" +
      tensors + ", {\"dtype\": \"i32\", \"shape\": " + shape +
      "}, {\"dtype\": \"i32\", \"shape\": [], \"kind\": \"constant\"}, "
      "{\"dtype\": \"i32\", \"shape\": null}]}");
  const size_t last = result.rfind(" [");
  return last == std::string::npos ? result : result.substr(last + 1);
}

std::string Constant(const std::string& shape, const std::string& value,
                     const std::string& dtype = "i32") {
  return "{\"kind\": \"constant\", \"dtype\": \"" + dtype +
         "\", \"shape\": " + shape + ", \"value\": " + value + "}";
}

std::string Two(const std::string& a, const std::string& b) {
  return Constant("[2]", a) + ", " + Constant("[2]", b) + ", " +
         Constant("[]", "[0]");
}

TEST(InferShapesTest, CalculatesWithShapes) {
  const auto binary = [](const std::string& type, const std::string& a,
                         const std::string& b) {
    return Computed(type, "[0, 1]", Two(a, b), "[2]");
  };
  EXPECT_EQ(binary("ADD", "[3, 4]", "[1, 2]"), "[4, 6]");
  EXPECT_EQ(binary("SUB", "[3, 4]", "[1, 2]"), "[2, 2]");
  EXPECT_EQ(binary("MUL", "[3, 4]", "[1, 2]"), "[3, 8]");
  EXPECT_EQ(binary("DIV", "[7, 8]", "[2, 4]"), "[3, 2]");
  EXPECT_EQ(binary("FLOOR_DIV", "[7, -8]", "[2, -3]"), "[3, 2]");
  EXPECT_EQ(binary("FLOOR_MOD", "[7, -7]", "[4, 4]"), "[3, 1]");
  EXPECT_EQ(binary("MAXIMUM", "[3, 4]", "[1, 9]"), "[3, 9]");
  EXPECT_EQ(binary("MINIMUM", "[3, 4]", "[1, 9]"), "[1, 4]");
  EXPECT_EQ(binary("BROADCAST_ARGS", "[3, 1]", "[1, 9]"), "[3, 9]");
  // Nothing is known of a division by zero, not even that it fails.
  EXPECT_EQ(binary("DIV", "[3, 1]", "[0, 1]"), "[-1, 1]");
  EXPECT_EQ(Computed("REDUCE_PROD", "[0, 2]", Two("[3, 4]", "[0, 0]"), "[1]",
                     "{\"keep_dims\": true}"),
            "[12]");
  EXPECT_EQ(
      Computed("UNSORTED_SEGMENT_PROD", "[0, 1, 2]",
               Constant("[3]", "[3, 4, 5]") + ", " +
                   Constant("[3]", "[0, 1, 0]") + ", " + Constant("[]", "[2]"),
               "[2]"),
      "[15, 4]");
  EXPECT_EQ(
      Computed("SELECT_V2", "[2, 0, 1]",
               Constant("[2]", "[3, 4]") + ", " + Constant("[2]", "[5, 6]") +
                   ", " + Constant("[2]", "[1, 0]", "b8"),
               "[2]"),
      "[3, 6]");
}

TEST(InferShapesTest, CutsAndJoinsShapes) {
  const std::string three = Constant("[3]", "[5, 6, 7]") + ", " +
                            Constant("[1]", "[1]") + ", " +
                            Constant("[1]", "[2]");
  EXPECT_EQ(Computed("SLICE", "[0, 1, 2]", three, "[2]"), "[6, 7]");
  EXPECT_EQ(Computed("STRIDED_SLICE", "[0, 1, 2, 1]", three, "[1]"), "[6]");
  EXPECT_EQ(Computed("GATHER", "[0, 2]", three, "[1]"), "[7]");
  EXPECT_EQ(Computed("CONCATENATION", "[0, 1]", three, "[4]"), "[5, 6, 7, 1]");
  EXPECT_EQ(Computed("TILE", "[0, 2]", three, "[6]"), "[5, 6, 7, 5, 6, 7]");
  EXPECT_EQ(Computed("CAST", "[0]", three, "[3]"), "[5, 6, 7]");
  EXPECT_EQ(Computed("REVERSE_V2", "[0, 2]",
                     Constant("[3]", "[5, 6, 7]") + ", " +
                         Constant("[1]", "[0]") + ", " + Constant("[1]", "[0]"),
                     "[3]"),
            "[7, 6, 5]");
  EXPECT_EQ(Computed("RANGE", "[0, 1, 2]",
                     Constant("[]", "[2]") + ", " + Constant("[]", "[8]") +
                         ", " + Constant("[]", "[3]"),
                     "[2]"),
            "[2, 5]");
  EXPECT_EQ(Computed("RESHAPE", "[0, 1]",
                     Constant("[1, 2]", "[5, 6]") + ", " +
                         Constant("[1]", "[2]") + ", " + Constant("[]", "[0]"),
                     "[2]"),
            "[5, 6]");
  EXPECT_EQ(Computed("TRANSPOSE", "[0, 1]",
                     Constant("[2]", "[5, 6]") + ", " + Constant("[1]", "[0]") +
                         ", " + Constant("[]", "[0]"),
                     "[2]"),
            "[5, 6]");
}

TEST(InferShapesTest, NamesTheOperatorWhoseDataDecide) {
  const std::string text = R"({"ops": [
      {"type": "WHERE", "inputs": [0], "outputs": [1]},
      {"type": "CAST", "inputs": [1], "outputs": [2]}],
    "tensors": [{"shape": [8], "dtype": "b8", "kind": "input"},
                {"shape": [3, 1], "dtype": "i64"},
                {"shape": [3, 1], "dtype": "f32"}]})";
  EXPECT_EQ(Inferred(text), "[8] [-1, 1] [-1, 1]")
      << "the stored shape is not believed";
  EXPECT_EQ(Unknown(text),
            "0.1: 0 WHERE decides the size of its output from the data\n"
            "0.2: 0 WHERE decides the size of its output from the data\n");
}

TEST(InferShapesTest, NamesTheOperandThatIsKnownAtRunTimeOnly) {
  EXPECT_EQ(Unknown(R"({"ops": [
      {"type": "TOPK_V2", "inputs": [0, 1], "outputs": [2, 3]}],
    "tensors": [{"shape": [8], "dtype": "f32", "kind": "input"},
                {"name": "k", "shape": [], "dtype": "i32", "kind": "input"},
                {"shape": null, "dtype": "f32"},
                {"shape": [1], "signature": [-1], "dtype": "i32"}]})"),
            "0.2: 0 TOPK_V2 takes its shape from tensor 1 (k), whose content "
            "is known only at run time\n"
            "0.3: 0 TOPK_V2 takes its shape from tensor 1 (k), whose content "
            "is known only at run time\n");
}

TEST(InferShapesTest, ReportsStringsAsOpen) {
  EXPECT_EQ(Unknown(R"({"ops": [],
    "tensors": [{"shape": [1], "dtype": "str", "kind": "input"},
                {"shape": [], "dtype": "res"}]})"),
            "0.0: -1 only the data says how long strings are\n");
}

// IF with a branch of one operator each, whose inputs have no stored shape.
std::string Branches(const std::string& then_op, const std::string& else_op) {
  const auto branch = [](const std::string& op) {
    return R"({"inputs": [0], "outputs": [1], "ops": [)" + op + R"(],
      "tensors": [{"shape": null, "dtype": "f32"},
                  {"shape": null, "dtype": "f32"},
        {"shape": [1], "dtype": "i32", "kind": "constant", "value": [0]}]})";
  };
  return R"({"kind": "subgraphs", "subgraphs": [
    {"ops": [{"type": "IF", "inputs": [0, 1], "outputs": [2],
              "calls": [1, 2]}],
     "inputs": [0, 1],
     "tensors": [{"shape": [], "dtype": "b8"},
                 {"name": "x", "shape": [2, 3], "dtype": "f32"},
                 {"shape": null, "dtype": "f32"}]}, )" +
         branch(then_op) + ", " + branch(else_op) + "]}";
}

constexpr const char* kReluBranch =
    R"({"type": "RELU", "inputs": [0], "outputs": [1]})";
constexpr const char* kSumBranch =
    R"({"type": "SUM", "inputs": [0, 2], "outputs": [1],
        "attributes": {"keep_dims": true}})";

TEST(InferShapesTest, PassesShapesThroughBranches) {
  Model model = Read(Branches(kReluBranch, kReluBranch));
  ASSERT_TRUE(InferShapes(&model, {{"x", {4, 5}}}).has_value());
  EXPECT_EQ(ShapesOf(model, 0), "[] [4, 5] [4, 5]");
  EXPECT_EQ(ShapesOf(model, 1), "[4, 5] [4, 5] [1]");
  EXPECT_EQ(ShapesOf(model, 2), "[4, 5] [4, 5] [1]");
}

TEST(InferShapesTest, LeavesOpenWhatBranchesDifferIn) {
  const std::string text = Branches(kReluBranch, kSumBranch);
  EXPECT_EQ(Inferred(text), "[] [2, 3] [-1, 3]");
  EXPECT_EQ(Unknown(text),
            "0.2: 0 IF calls subgraphs that give different shapes\n");
}

// WHILE over (counter, value), whose body applies `op` to the value.
std::string Loop(const std::string& op, const std::string& shape) {
  return R"({"kind": "subgraphs", "subgraphs": [
    {"ops": [{"type": "WHILE", "inputs": [0, 1], "outputs": [2, 3],
              "calls": [1, 2]}],
     "inputs": [0, 1], "outputs": [3],
     "tensors": [{"shape": [], "dtype": "i32"},
                 {"name": "x", "shape": )" +
         shape + R"(, "dtype": "f32"},
                 {"shape": [], "dtype": "i32"},
                 {"shape": null, "dtype": "f32"}]},
    {"ops": [{"type": "LESS", "inputs": [0, 2], "outputs": [3]}],
     "inputs": [0, 1], "outputs": [3],
     "tensors": [{"shape": [], "dtype": "i32"}, {"shape": null, "dtype": "f32"},
       {"shape": [], "dtype": "i32", "kind": "constant", "value": [9]},
       {"shape": [], "dtype": "b8"}]},
    {"ops": [{"type": "ADD", "inputs": [0, 2], "outputs": [3]}, )" +
         op + R"(],
     "inputs": [0, 1], "outputs": [3, 4],
     "tensors": [{"shape": [], "dtype": "i32"}, {"shape": null, "dtype": "f32"},
       {"shape": [], "dtype": "i32", "kind": "constant", "value": [1]},
       {"shape": [], "dtype": "i32"}, {"shape": null, "dtype": "f32"}]}]})";
}

TEST(InferShapesTest, PassesShapesThroughLoops) {
  const std::string text =
      Loop(R"({"type": "TANH", "inputs": [1], "outputs": [4]})", "[1, 8]");
  Model model = Read(text);
  ASSERT_TRUE(InferShapes(&model, {{"x", {3, 8}}}).has_value());
  EXPECT_EQ(ShapesOf(model, 0), "[] [3, 8] [] [3, 8]");
  EXPECT_EQ(ShapesOf(model, 2), "[] [3, 8] [] [] [3, 8]");
}

TEST(InferShapesTest, LeavesOpenWhatALoopChanges) {
  const std::string text =
      Loop(R"({"type": "CONCATENATION", "inputs": [1, 1], "outputs": [4]})",
           "[1, 8]");
  EXPECT_EQ(Inferred(text), "[] [1, 8] [] [-1, 8]");
  EXPECT_EQ(Unknown(text),
            "0.3: 0 WHILE changes the shape from one iteration to the next\n"
            "1.1: 0 WHILE changes the shape from one iteration to the next\n"
            "2.1: 0 WHILE changes the shape from one iteration to the next\n"
            "2.4: 0 WHILE changes the shape from one iteration to the next\n");
}

TEST(InferShapesTest, ALoopThatGrowsTheRankEnds) {
  const std::string text = Loop(
      R"({"type": "PACK", "inputs": [1, 1], "outputs": [4],
          "attributes": {"axis": 0}})",
      "[1, 8]");
  EXPECT_EQ(Inferred(text), "[] [1, 8] [] ?");
}

TEST(InferShapesTest, ASubgraphCalledWithDifferentShapesIsOpenInside) {
  Model model = Read(R"({"kind": "subgraphs", "subgraphs": [
    {"ops": [{"type": "CALL", "inputs": [0], "outputs": [1], "calls": [1]},
             {"type": "CALL", "inputs": [2], "outputs": [3], "calls": [1]}],
     "inputs": [0, 2],
     "tensors": [{"shape": [1, 4], "dtype": "f32"},
                 {"shape": null, "dtype": "f32"},
                 {"shape": [2, 4], "dtype": "f32"},
                 {"shape": null, "dtype": "f32"}]},
    {"ops": [{"type": "RELU", "inputs": [0], "outputs": [1]}],
     "inputs": [0], "outputs": [1],
     "tensors": [{"shape": null, "dtype": "f32"},
                 {"shape": null, "dtype": "f32"}]}]})");
  const auto report = InferShapes(&model, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(ShapesOf(model, 1), "[-1, 4] [-1, 4]");
  ASSERT_FALSE(report->unknown.empty());
  EXPECT_EQ(report->unknown.back().reason,
            "the subgraph is called with different shapes");
}

// A chain in which each subgraph calls the next one twice: 2^60 calls.
TEST(InferShapesTest, ManyPathsToASubgraphAreNotWalkedOneByOne) {
  Model model;
  constexpr size_t kDepth = 60;
  for (size_t g = 0; g <= kDepth; ++g) {
    Subgraph& subgraph = model.subgraphs.emplace_back();
    subgraph.tensors.resize(3);
    if (g == 0) subgraph.tensors[0].shape = {1, 4};
    subgraph.inputs = {TensorId(0)};
    subgraph.outputs = {TensorId(2)};
    for (int32_t i = 0; i < 2; ++i) {
      Operator op;
      op.kind = g == kDepth ? OpKind::kRelu : OpKind::kCall;
      op.type = TraitsOf(op.kind).name;
      op.inputs = {TensorId(i)};
      op.outputs = {TensorId(i + 1)};
      if (g < kDepth) op.callees = {SubgraphId::FromIndex(g + 1)};
      subgraph.operators.push_back(op);
    }
  }
  ASSERT_TRUE(CheckModel(model).has_value());
  ASSERT_TRUE(InferShapes(&model, {}).has_value());
  EXPECT_EQ(ShapesOf(model, 0), "[1, 4] [1, 4] [1, 4]");
}

TEST(InferShapesTest, VariablesHaveTheShapeThatIsAssigned) {
  EXPECT_EQ(Inferred(R"({"kind": "subgraphs", "subgraphs": [
    {"ops": [{"type": "CALL_ONCE", "calls": [1]},
             {"type": "VAR_HANDLE", "outputs": [0],
              "attributes": {"shared_name": "state"}},
             {"type": "READ_VARIABLE", "inputs": [0], "outputs": [1]}],
     "tensors": [{"shape": [], "dtype": "res"},
                 {"shape": null, "dtype": "f32"}]},
    {"ops": [{"type": "VAR_HANDLE", "outputs": [0],
              "attributes": {"shared_name": "state"}},
             {"type": "ASSIGN_VARIABLE", "inputs": [0, 1]}],
     "tensors": [{"shape": [], "dtype": "res"},
                 {"shape": [1, 7], "dtype": "f32", "kind": "constant"}]}]})"),
            "[] [1, 7]");
}

}  // namespace
}  // namespace stowplan::graph
