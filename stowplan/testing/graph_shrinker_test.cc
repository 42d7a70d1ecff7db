// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/graph_shrinker.h"

#include "gtest/gtest.h"
#include "stowplan/graph/check.h"
#include "stowplan/testing/graph_generator.h"

namespace stowplan::testing {
namespace {

using graph::Model;
using graph::OpKind;

int64_t Count(const Model& model, OpKind kind) {
  int64_t count = 0;
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    for (const graph::Operator& op : subgraph.operators) {
      count += op.kind == kind ? 1 : 0;
    }
  }
  return count;
}

TEST(GraphShrinkerTest, KeepsOnlyWhatTheFailureNeeds) {
  GraphOptions options;
  options.operators = 40;
  const auto fails = [](const Model& model) {
    EXPECT_FALSE(graph::FindFault(model).has_value());
    return Count(model, OpKind::kReshape) >= 2;
  };
  const Model model = GenerateGraph(3, options);
  ASSERT_TRUE(fails(model));
  const Model small = ShrinkGraph(model, fails);
  EXPECT_TRUE(fails(small));
  ASSERT_EQ(small.subgraphs.size(), 1u);
  EXPECT_EQ(small.subgraphs[0].operators.size(), 2u);
  EXPECT_EQ(small.subgraphs[0].tensors.size(), 2u) << "their outputs";
  EXPECT_TRUE(small.subgraphs[0].inputs.empty());
  for (const graph::Tensor& tensor : small.subgraphs[0].tensors) {
    EXPECT_LE(SizeOf(tensor), 1);
  }
}

TEST(GraphShrinkerTest, DropsSubgraphsThatNothingNeeds) {
  GraphOptions options;
  options.call_percent = 30;
  uint64_t seed = 0;
  const auto fails = [](const Model& model) {
    return Count(model, OpKind::kWhile) >= 1;
  };
  while (!fails(GenerateGraph(seed, options))) ++seed;
  const Model small = ShrinkGraph(GenerateGraph(seed, options), fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(Count(small, OpKind::kIf), 0);
  EXPECT_EQ(small.subgraphs.size(), 3u) << "main, condition, body";
}

}  // namespace
}  // namespace stowplan::testing
