// SPDX-License-Identifier: Apache-2.0
//
// "No order can do with less" is a proof, so it is put to the test against
// many orders.
#include "stowplan/report/demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "stowplan/plan/lower_bound.h"

namespace stowplan::report {
namespace {

using graph::OpKind;
using graph::TensorId;

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  size_t Below(size_t limit) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % limit;
  }

 private:
  uint32_t state_;
};

// A graph whose tensors mostly have the same size, so that operators may
// write over their inputs where the order allows it.
graph::Model RandomModel(Random* random) {
  constexpr std::array<OpKind, 5> kKinds = {OpKind::kConv2d, OpKind::kAdd,
                                            OpKind::kLogistic, OpKind::kMul,
                                            OpKind::kReshape};
  graph::Model model;
  graph::Subgraph& main = model.subgraphs.emplace_back();
  const size_t operators = 2 + random->Below(6);
  for (size_t i = 0; i <= operators; ++i) {
    graph::Tensor& tensor = main.tensors.emplace_back();
    tensor.shape = graph::Shape{random->Below(4) == 0 ? 200 : 100};
    tensor.dtype = DType::kInt8;
  }
  main.inputs = {TensorId(0)};
  for (size_t i = 0; i < operators; ++i) {
    graph::Operator& op = main.operators.emplace_back();
    op.kind = kKinds[random->Below(kKinds.size())];
    const bool unary =
        op.kind == OpKind::kLogistic || op.kind == OpKind::kReshape;
    for (size_t k = 0; k < (unary ? 1u : 2u); ++k) {
      op.inputs.push_back(TensorId::FromIndex(random->Below(i + 1)));
    }
    op.outputs = {TensorId::FromIndex(i + 1)};
    op.scratch = random->Below(5) == 0 ? 90 : 0;
  }
  main.outputs = {TensorId::FromIndex(operators)};
  if (random->Below(2) == 0) {
    main.outputs.push_back(TensorId::FromIndex(1 + random->Below(operators)));
  }
  return model;
}

// The same graph with its operators in another order that respects the data.
graph::Model Reordered(const graph::Model& model, Random* random) {
  graph::Model other = model;
  graph::Subgraph& main = other.subgraphs[0];
  std::vector<graph::Operator> left = main.operators;
  std::vector<bool> ready(main.tensors.size());
  ready[0] = true;
  main.operators.clear();
  while (!left.empty()) {
    const size_t pick = random->Below(left.size());
    const auto& inputs = left[pick].inputs;
    if (!std::all_of(inputs.begin(), inputs.end(),
                     [&](TensorId id) { return ready[id.index()]; })) {
      continue;
    }
    ready[left[pick].outputs[0].index()] = true;
    main.operators.push_back(left[pick]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
  }
  return other;
}

schedule::MemoryNeeds NeedsOf(const graph::Model& model,
                              schedule::InPlace in_place) {
  schedule::Rules rules;
  rules.in_place = in_place;
  auto needs = schedule::FindMemoryNeeds(model, rules);
  EXPECT_TRUE(needs) << needs.error().ToString();
  return *std::move(needs);
}

TEST(Demand, NoOrderGoesBelowTheFloor) {
  Random random(1);
  int reached = 0;
  for (int round = 0; round < 400; ++round) {
    const graph::Model model = RandomModel(&random);
    for (auto in_place : {schedule::InPlace::kSafe, schedule::InPlace::kOff}) {
      const auto needs = NeedsOf(model, in_place);
      const Bytes floor = Demand(model, needs).OverAllOrders().bytes;
      Bytes least = plan::LowerBound(needs.problem).bytes;
      EXPECT_LE(floor, least);
      for (int other = 0; other < 12; ++other) {
        const auto reordered = NeedsOf(Reordered(model, &random), in_place);
        least = std::min(least, plan::LowerBound(reordered.problem).bytes);
        ASSERT_LE(floor, least) << "round " << round;
      }
      reached += floor == least ? 1 : 0;
    }
  }
  EXPECT_GT(reached, 100);  // It is worth something.
}

TEST(Demand, AnEngineThatOverwritesBlindlyHasNoFloor) {
  Random random(2);
  const graph::Model model = RandomModel(&random);
  const auto needs = NeedsOf(model, schedule::InPlace::kEngine);
  EXPECT_EQ(Demand(model, needs).OverAllOrders().bytes, 0);
}

}  // namespace
}  // namespace stowplan::report
