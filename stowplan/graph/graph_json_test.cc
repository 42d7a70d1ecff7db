// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/graph_json.h"

#include <limits>

#include "gtest/gtest.h"

namespace stowplan::graph {
namespace {

std::string ErrorOf(std::string_view text) {
  const Result<Model> model = ReadGraphJson(text);
  return model ? "none" : model.error().ToString();
}

Model Read(std::string_view text) {
  Result<Model> model = ReadGraphJson(text);
  EXPECT_TRUE(model.has_value()) << model.error().ToString();
  return model ? *std::move(model) : Model();
}

// What is written is read back to the same text.
void ExpectStable(const Model& model) {
  const std::string text = WriteGraphJson(model);
  const Result<Model> again = ReadGraphJson(text);
  ASSERT_TRUE(again.has_value()) << again.error().ToString() << "\n" << text;
  EXPECT_EQ(WriteGraphJson(*again), text);
}

constexpr std::string_view kChain = R"({
  "alignment": 64,
  "tensors": [
    {"id": 0, "name": "x", "shape": [1, 8], "dtype": "f32", "kind": "input"},
    {"id": 1, "name": "a", "shape": [8], "dtype": "f32",
     "kind": "intermediate"},
    {"id": 2, "name": "y", "shape": [8], "dtype": "f32", "kind": "output"}],
  "ops": [
    {"name": "r", "type": "RESHAPE", "inputs": [0], "outputs": [1],
     "inplace": "view"},
    {"name": "f", "type": "FANCY", "inputs": [1, -1], "outputs": [2],
     "inplace": "in0"}]})";

TEST(GraphJsonTest, ReadsTensorsAndOperators) {
  const Model model = Read(kChain);
  ASSERT_EQ(model.subgraphs.size(), 1u);
  const Subgraph& subgraph = model.subgraphs[0];
  EXPECT_EQ(model.alignment, 64);
  ASSERT_EQ(subgraph.tensors.size(), 3u);
  EXPECT_EQ(subgraph.tensors[0].name, "x");
  EXPECT_EQ(subgraph.tensors[0].shape, (Shape{1, 8}));
  EXPECT_EQ(subgraph.inputs, std::vector<TensorId>{TensorId(0)});
  EXPECT_EQ(subgraph.outputs, std::vector<TensorId>{TensorId(2)});
  ASSERT_EQ(subgraph.operators.size(), 2u);
  const Operator& reshape = subgraph.operators[0];
  EXPECT_EQ(reshape.kind, OpKind::kReshape);
  ASSERT_TRUE(reshape.in_place.has_value());
  EXPECT_EQ(reshape.in_place->kind, InPlaceClaim::Kind::kView);
  const Operator& fancy = subgraph.operators[1];
  EXPECT_EQ(fancy.kind, OpKind::kCustom);
  EXPECT_EQ(fancy.type, "FANCY");
  EXPECT_EQ(fancy.in_place->kind, InPlaceClaim::Kind::kOverwrite);
  EXPECT_FALSE(fancy.inputs[1].valid());
}

TEST(GraphJsonTest, ReadsAGraphInsideADocument) {
  const std::string text =
      "{\"id\": \"case\", \"graph\": " + std::string(kChain) +
      ", \"expect\": {}}";
  EXPECT_EQ(WriteGraphJson(Read(text)), WriteGraphJson(Read(kChain)));
}

TEST(GraphJsonTest, ReadsGraphsOfSizesWithoutTypes) {
  const Model model = Read(R"({"name": "net", "bytes_per_element": 4,
    "tensors": [{"id": 0, "shape": [2, 3], "bytes": 24},
                {"id": 1, "bytes": 100}],
    "ops": [{"kind": "CONV", "inputs": [0], "outputs": [1]}],
    "inputs": [0], "outputs": [1, 0]})");
  const Subgraph& subgraph = model.subgraphs[0];
  EXPECT_EQ(subgraph.name, "net");
  EXPECT_EQ(SizeOf(subgraph.tensors[1]), 100);
  EXPECT_EQ(subgraph.operators[0].type, "CONV");
  EXPECT_EQ(subgraph.outputs.size(), 2u);
  ExpectStable(model);
}

constexpr std::string_view kBranches = R"({"kind": "subgraphs",
  "main": {
    "tensors": [{"shape": [1], "dtype": "b8", "kind": "input"},
                {"shape": [4], "dtype": "i8", "kind": "input"},
                {"shape": [4], "dtype": "i8", "kind": "output"}],
    "ops": [{"name": "m", "type": "IF", "inputs": [0, 1], "outputs": [2]}]},
  "subgraphs": {
    "then": {
      "tensors": [{"shape": [4], "dtype": "i8", "kind": "input"},
                  {"shape": [4], "dtype": "i8", "kind": "output"}],
      "ops": [{"type": "RELU", "inputs": [0], "outputs": [1]}]},
    "else": {
      "tensors": [{"shape": [4], "dtype": "i8", "kind": "input"},
                  {"shape": [4], "dtype": "i8", "kind": "output"}],
      "ops": [{"type": "NEG", "inputs": [0], "outputs": [1]}]}},
  "calls": {"m": ["then", "else"]}})";

TEST(GraphJsonTest, ReadsSubgraphsAndTheirCallers) {
  const Model model = Read(kBranches);
  ASSERT_EQ(model.subgraphs.size(), 3u);
  EXPECT_EQ(model.subgraphs[1].name, "then");
  EXPECT_EQ(model.subgraphs[0].operators[0].callees,
            (std::vector<SubgraphId>{SubgraphId(1), SubgraphId(2)}));
  ExpectStable(model);
}

TEST(GraphJsonTest, SaysWhereTheFormatIsBroken) {
  EXPECT_EQ(ErrorOf("{\"tensors\": [}"),
            "line 1, column 14: not JSON; give a graph as docs/graph-json.md "
            "describes it");
  EXPECT_EQ(ErrorOf("[1]"), "is no object; write {...}");
  EXPECT_EQ(ErrorOf("{\"ops\": []}"), "has no \"tensors\"; add it");
  EXPECT_EQ(ErrorOf(R"({"kind": "phases"})"),
            "kind: \"phases\" describes no graph; give \"tensors\" and "
            "\"ops\", or \"subgraphs\"");
  const auto with_tensor = [](std::string_view tensor) {
    return ErrorOf("{\"ops\": [], \"tensors\": [" + std::string(tensor) + "]}");
  };
  EXPECT_EQ(with_tensor(R"({"shape": [1, "x"], "dtype": "f32"})"),
            "tensors[0].shape[1]: is no integer");
  EXPECT_EQ(with_tensor(R"({"shape": [1, 1e30], "dtype": "f32"})"),
            "tensors[0].shape[1]: is no integer");
  EXPECT_EQ(with_tensor(R"({"shape": [18446744073709551615], "dtype": "f32"})"),
            "tensors[0].shape[0]: does not fit in 64 bits");
  EXPECT_EQ(with_tensor(R"({"shape": [-7], "dtype": "f32"})"),
            "tensors[0].shape[0]: -7 is no dimension; use -1 for one that is "
            "not known");
  EXPECT_EQ(with_tensor(R"({"dtype": "float"})"),
            "tensors[0].dtype: \"float\" is no element type; use float32, "
            "int8, int4, ... or f32, i8, i4, ...");
  EXPECT_EQ(with_tensor(R"({"shape": [1]})"),
            "tensors[0]: has neither \"dtype\" nor \"bytes\"; add one of them");
  EXPECT_EQ(with_tensor(R"({"dtype": "i8", "kind": "weight"})"),
            "tensors[0].kind: \"weight\" is no kind; use input, output, "
            "intermediate, constant or variable");
  EXPECT_EQ(with_tensor(R"({"id": 3, "dtype": "i8"})"),
            "tensors[0].id: is 3 but stands at position 0; list in the order "
            "of the ids, which count from 0");
  EXPECT_NE(with_tensor(R"({"dtype": "i8", "shap": [1]})").find("\"shap\""),
            std::string::npos);
}

TEST(GraphJsonTest, SaysWhereTheGraphIsBroken) {
  EXPECT_EQ(ErrorOf(R"({"tensors": [{"dtype": "i8"}],
      "ops": [{"type": "RELU", "inputs": [0], "outputs": [1]}]})"),
            "ops[0].outputs[0]: 1 names no tensor; there are 1");
  EXPECT_EQ(ErrorOf(R"({"graph": {"tensors": [{"dtype": "i8"}],
      "ops": [{"type": "RELU", "inputs": [0], "outputs": [0]}]}})"),
            "graph.ops[0].inputs[0]: tensor 0 is written by operator 0 only; "
            "list operators in the order in which they run");
  EXPECT_EQ(ErrorOf(R"({"tensors": [{"dtype": "i8", "kind": "input"}],
      "ops": [], "inputs": []})"),
            "tensors[0].kind: is input but \"inputs\" does not list the "
            "tensor; add its id there");
  std::string branches(kBranches);
  branches.replace(branches.find("\"else\"]"), 7, "\"main\"]");
  EXPECT_EQ(ErrorOf(branches),
            "calls.m[1]: is handed 1 operand but has 2 inputs");
  branches = kBranches;
  branches.replace(branches.find("\"m\": ["), 6, "\"q\": [");
  EXPECT_EQ(ErrorOf(branches),
            "calls.q: 0 operators have that name; name one operator");
}

TEST(GraphJsonTest, RefusesWhatWouldCostTooMuch) {
  EXPECT_EQ(ErrorOf(std::string(1000000, '[')),
            "nested more than 16 levels deep; give a graph as "
            "docs/graph-json.md describes it");
  std::string wide = "{";
  for (int i = 0; i < 2000; ++i) {
    wide += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(ErrorOf(wide + "}"),
            "an object has more than 1024 keys; give a graph as "
            "docs/graph-json.md describes it");
  EXPECT_EQ(ErrorOf(R"({"ops": [], "tensors": [], "ops": []})"),
            "key \"ops\" is there twice in one object; give a graph as "
            "docs/graph-json.md describes it");
}

TEST(GraphJsonTest, KeepsTheContentOfSmallIntegerConstants) {
  const Model model = Read(R"({"ops": [], "tensors": [
      {"shape": [2], "dtype": "i32", "kind": "constant", "value": [1, -1]}]})");
  const std::span<const std::byte> data = model.subgraphs[0].tensors[0].data;
  ASSERT_EQ(data.size(), 8u);
  EXPECT_EQ(data[0], std::byte{1});
  EXPECT_EQ(data[7], std::byte{0xFF});
  ExpectStable(model);
  EXPECT_EQ(ErrorOf(R"({"ops": [], "tensors": [
      {"shape": [2], "dtype": "i8", "kind": "constant", "value": [1, 128]}]})"),
            "tensors[0].value: does not fit the type int8; give numbers of an "
            "integer type, in its range");
  EXPECT_NE(ErrorOf(R"({"ops": [], "tensors": [
      {"shape": [2], "dtype": "i8", "kind": "constant", "value": [1]}]})"),
            "none");
  EXPECT_NE(ErrorOf(R"({"ops": [], "tensors": [
      {"shape": [1], "dtype": "i8", "kind": "input", "value": [1]}]})"),
            "none");
}

TEST(GraphJsonTest, KeepsOptionsOfEveryType) {
  Model model = Read(kChain);
  Attributes& attributes = model.subgraphs[0].operators[1].attributes;
  attributes.Set("truth", true);
  attributes.Set("number", int64_t{-5});
  attributes.Set("real", 2.0);
  attributes.Set("infinite", -std::numeric_limits<double>::infinity());
  attributes.Set("word", std::string("inf"));
  attributes.Set("ints", std::vector<int64_t>{1, 2});
  attributes.Set("reals", std::vector<double>{1.0, 0.1});
  attributes.Set("empty", std::vector<int64_t>());
  const Model again = Read(WriteGraphJson(model));
  const Attributes& kept = again.subgraphs[0].operators[1].attributes;
  for (const auto& [name, value] : attributes) {
    ASSERT_NE(kept.Find(name), nullptr) << name;
    EXPECT_EQ(*kept.Find(name), value) << name;
  }
  ExpectStable(model);
}

TEST(GraphJsonTest, KeepsEverythingElseOfAModel) {
  Model model = Read(kChain);
  model.alignment = 16;
  Subgraph& subgraph = model.subgraphs[0];
  subgraph.tensors[0].signature = {-1, 8};
  subgraph.tensors[1].shape = std::nullopt;
  subgraph.tensors[1].quantization = {
      Quantization::Scheme::kPerChannel, {0.1F, 3e-30F}, {0, -3}, 3};
  subgraph.tensors[2].sparse = true;
  subgraph.operators[0].scratch = 123;
  subgraph.operators[0].intermediates = {TensorId(), TensorId(1)};
  subgraph.operators[1].type = "RELU";  // Custom in spite of its name.
  subgraph.operators[1].in_place = InPlaceClaim{};
  model.signatures.push_back(
      {"run", SubgraphId(0), {{"x", TensorId(0)}}, {{"y", TensorId(2)}}});
  const Model again = Read(WriteGraphJson(model));
  const Subgraph& kept = again.subgraphs[0];
  EXPECT_EQ(again.alignment, 16);
  EXPECT_EQ(kept.tensors[0].signature, (Shape{-1, 8}));
  EXPECT_EQ(kept.tensors[1].shape, std::nullopt);
  EXPECT_EQ(kept.tensors[1].quantization.scales,
            subgraph.tensors[1].quantization.scales);
  EXPECT_EQ(kept.tensors[1].quantization.zero_points,
            (std::vector<int64_t>{0, -3}));
  EXPECT_EQ(kept.tensors[1].quantization.dimension, 3);
  EXPECT_TRUE(kept.tensors[2].sparse);
  EXPECT_EQ(kept.operators[0].scratch, 123);
  EXPECT_EQ(kept.operators[0].intermediates,
            subgraph.operators[0].intermediates);
  EXPECT_EQ(kept.operators[1].kind, OpKind::kCustom);
  EXPECT_EQ(kept.operators[1].in_place->kind, InPlaceClaim::Kind::kNone);
  ASSERT_EQ(again.signatures.size(), 1u);
  EXPECT_EQ(again.signatures[0].outputs[0].name, "y");
  ExpectStable(model);
}

TEST(GraphJsonTest, WritesNamesThatAreNotUtf8) {
  Model model = Read(kChain);
  model.subgraphs[0].tensors[0].name = "\xff\xfe \"quoted\"\n";
  ExpectStable(model);
}

TEST(GraphJsonTest, WritesAModelWithoutSubgraphs) {
  ExpectStable(Model());
  EXPECT_TRUE(Read(WriteGraphJson(Model())).subgraphs.empty());
}

}  // namespace
}  // namespace stowplan::graph
