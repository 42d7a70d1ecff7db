// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/graph_generator.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/graph/check.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/graph/infer_shapes.h"

namespace stowplan::testing {
namespace {

using graph::Model;

constexpr uint64_t kSeeds = 300;

GraphOptions Everything() {
  GraphOptions options;
  options.call_percent = 10;
  return options;
}

TEST(GraphGeneratorTest, GivesModelsThatKeepAllInvariants) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Model model = GenerateGraph(seed, Everything());
    const Status status = graph::CheckModel(model);
    ASSERT_TRUE(status.has_value()) << seed << status.error().ToString();
    EXPECT_FALSE(model.subgraphs[0].inputs.empty());
    EXPECT_FALSE(model.subgraphs[0].outputs.empty());
  }
}

TEST(GraphGeneratorTest, GivesTheSameModelForTheSameSeed) {
  EXPECT_EQ(WriteGraphJson(GenerateGraph(7, Everything())),
            WriteGraphJson(GenerateGraph(7, Everything())));
  EXPECT_NE(WriteGraphJson(GenerateGraph(7, Everything())),
            WriteGraphJson(GenerateGraph(8, Everything())));
}

TEST(GraphGeneratorTest, UsesEverythingThatItPromises) {
  std::vector<std::string> types;
  bool unread = false;
  bool variable = false;
  bool claim = false;
  bool scratch = false;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Model model = GenerateGraph(seed, Everything());
    for (const graph::Subgraph& subgraph : model.subgraphs) {
      std::vector<bool> read(subgraph.tensors.size(), false);
      for (graph::TensorId id : subgraph.outputs) read[id.index()] = true;
      for (const graph::Operator& op : subgraph.operators) {
        types.push_back(op.type);
        claim = claim || op.in_place;
        scratch = scratch || op.scratch > 0;
        for (graph::TensorId id : op.inputs) {
          if (id.valid()) read[id.index()] = true;
        }
      }
      unread = unread || std::count(read.begin(), read.end(), false) != 0;
      for (const graph::Tensor& tensor : subgraph.tensors) {
        variable = variable || tensor.variable;
      }
    }
  }
  for (const char* type :
       {"IF", "WHILE", "CALL", "RESHAPE", "EXPAND_DIMS", "SQUEEZE", "SPLIT",
        "CONCATENATION", "Mix", "FULLY_CONNECTED", "Remember", "ADD"}) {
    EXPECT_NE(std::count(types.begin(), types.end(), type), 0) << type;
  }
  EXPECT_TRUE(unread && variable && claim && scratch);
}

TEST(GraphGeneratorTest, GivesTheShapesThatInferenceComputes) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Model model = GenerateGraph(seed, Everything());
    Model bare = model;
    for (graph::Subgraph& subgraph : bare.subgraphs) {
      for (const graph::Operator& op : subgraph.operators) {
        if (op.kind == graph::OpKind::kCustom) continue;
        for (graph::TensorId id : op.outputs) {
          subgraph.tensor(id).shape = std::nullopt;
        }
      }
    }
    const auto report = InferShapes(&bare, {});
    ASSERT_TRUE(report.has_value()) << seed << report.error().ToString();
    EXPECT_TRUE(report->unknown.empty()) << seed;
    ASSERT_EQ(WriteGraphJson(bare), WriteGraphJson(model)) << seed;
  }
}

TEST(GraphGeneratorTest, GivesModelsThatJsonKeeps) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string text = WriteGraphJson(GenerateGraph(seed, Everything()));
    const auto model = graph::ReadGraphJson(text);
    ASSERT_TRUE(model.has_value()) << seed << model.error().ToString();
    ASSERT_EQ(WriteGraphJson(*model), text) << seed;
  }
}

}  // namespace
}  // namespace stowplan::testing
