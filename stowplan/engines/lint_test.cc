// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/lint.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowplan/engines/litert.h"
#include "stowplan/engines/replay.h"
#include "stowplan/engines/test_graph.h"
#include "stowplan/engines/verify_json.h"

namespace stowplan::engines {
namespace {

using graph::OperatorId;
using graph::OpKind;
using graph::TensorId;

// A skip connection around a scale per channel that works on a matrix.
struct SkippedScale {
  SkippedScale() {
    const TensorId x = g.Tensor("x", {1, 8, 8, 16});
    const TensorId a = g.Tensor("a", {1, 8, 8, 16});
    c = g.Tensor("c", {1, 8, 8, 16});
    d = g.Tensor("d", {64, 16});
    e = g.Tensor("e", {64, 16});
    const TensorId f = g.Tensor("f", {1, 8, 8, 16});
    const TensorId y = g.Tensor("y", {1, 8, 8, 16});
    const TensorId bias = g.Constant("bias", {16});
    const TensorId gain = g.Constant("gain", {16});
    g.Add(OpKind::kAveragePool2d, {x}, {a});
    g.Add(OpKind::kAdd, {a, bias}, {c});
    g.Add(OpKind::kReshape, {c}, {d});
    g.Add(OpKind::kMul, {d, gain}, {e});
    g.Add(OpKind::kReshape, {e}, {f});
    g.Add(OpKind::kAdd, {f, c}, {y});
    g.SetBoundary({x}, {y});
  }
  TestGraph g;
  TensorId c, d, e;
};

TEST(LintTest, SaysWhyARightCannotBeHonoured) {
  const SkippedScale s;
  const auto needs = schedule::FindMemoryNeeds(s.g.model(), {});
  ASSERT_TRUE(needs.has_value());
  const auto findings = LintInPlace(s.g.model(), *needs);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].op.op, OperatorId(3));
  EXPECT_EQ(findings[0].operand.tensor, s.d);
  EXPECT_EQ(findings[0].text,
            "operator 3 (MUL) cannot write over tensor 3 (d): tensor 2 (c) "
            "shares its bytes and is read by operator 5");
}

TEST(LintTest, LiteRtTakesTheRightAllTheSame) {
  const SkippedScale s;
  const auto layout = PlanLiteRt(s.g.model());
  ASSERT_TRUE(layout.has_value());
  const Replay replay = ReplayPlan(s.g.model(), *layout);
  ASSERT_EQ(replay.violations.size(), 1u);
  EXPECT_EQ(replay.violations[0].tensor.tensor, s.c);
  EXPECT_EQ(replay.violations[0].overwriting.tensor, s.e);
}

TEST(LintTest, SaysHowLongATensorMayBeRead) {
  const SkippedScale s;
  const auto layout = PlanLiteRt(s.g.model());
  ASSERT_TRUE(layout.has_value());
  const auto readable = FindReadable(s.g.model(), *layout);
  ASSERT_EQ(readable.size(), 7u);
  EXPECT_TRUE(readable[0].after_run);  // The input is kept.
  EXPECT_EQ(readable[1].until, 0);     // ADD writes over a.
  const Readable& c = readable[2];
  EXPECT_FALSE(c.after_run);
  EXPECT_EQ(c.from, 1);
  EXPECT_EQ(c.until, 2);  // RESHAPE shows the same value, MUL another.
  EXPECT_EQ(c.overwritten_by.op, OperatorId(3));
  EXPECT_TRUE(readable[6].after_run);  // An output.
}

TEST(VerifyJsonTest, NamesWriterReaderTensorsAndBytes) {
  const SkippedScale s;
  const auto layout = PlanLiteRt(s.g.model());
  ASSERT_TRUE(layout.has_value());
  const Replay replay = ReplayPlan(s.g.model(), *layout);
  const auto document = nlohmann::json::parse(
      WriteVerifyJson(s.g.model(), *layout, replay, "litert"), nullptr, false);
  EXPECT_EQ(document["schema"], "stowplan.verify/1");
  EXPECT_EQ(document["engine"], "litert");
  EXPECT_EQ(document["ok"], false);
  const auto& broken = document["violations"].at(0);
  EXPECT_EQ(broken["step"], 5);
  EXPECT_EQ(broken["reader"]["op"], "ADD");
  EXPECT_EQ(broken["tensor"]["name"], "c");
  EXPECT_EQ(broken["writer"]["operator"], 1);
  EXPECT_EQ(broken["overwritten_by"]["op"], "MUL");
  EXPECT_EQ(broken["overwritten_by"]["name"], "e");
  EXPECT_EQ(broken["bytes"], (std::vector<int>{4096, 8192}));
}

TEST(VerifyJsonTest, HasNoEngineForAPlanOfNone) {
  const SkippedScale s;
  const auto layout = PlanLiteRt(s.g.model());
  const auto document = nlohmann::json::parse(
      WriteVerifyJson(s.g.model(), *layout, {}, ""), nullptr, false);
  EXPECT_TRUE(document["engine"].is_null());
  EXPECT_EQ(document["ok"], true);
}

}  // namespace
}  // namespace stowplan::engines
