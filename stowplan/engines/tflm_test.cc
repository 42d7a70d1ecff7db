// SPDX-License-Identifier: Apache-2.0
//
// Numbers called "measured" are what the Python package of October 2026 did
// with the same graphs.
#include "stowplan/engines/tflm.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/base/checked_math.h"
#include "stowplan/engines/tflm_test_graphs.h"

namespace stowplan::engines {
namespace {

using graph::SubgraphId;
using graph::TensorId;

TflmOptions Wheel() { return {8, TflmBuild::kWheel, {}}; }

TflmPlan PlanOf(const graph::Model& model, const TflmOptions& options) {
  auto plan = PlanTflm(model, options);
  EXPECT_TRUE(plan.has_value()) << plan.error().ToString();
  return plan ? *std::move(plan) : TflmPlan{};
}

Bytes PhaseOf(const TflmPlan& plan, const std::string& name) {
  for (const TflmPhase& phase : plan.phases) {
    if (phase.name == name) return phase.bytes;
  }
  return -1;
}

// A convolution with eight filters, each with a scale of its own.
graph::Model QuantizedConvolution() {
  GraphBuilder b;
  const TensorId in = b.Quantize(b.Tensor({1, 4, 4, 3}, DType::kInt8));
  const TensorId w = b.Quantize(b.Constant({8, 1, 1, 3}, DType::kInt8), 8);
  const TensorId bias = b.Quantize(b.Constant({8}, DType::kInt32), 8);
  const TensorId out = b.Quantize(b.Tensor({1, 4, 4, 8}, DType::kInt8));
  b.Operator("CONV_2D", {in, w, bias}, {out});
  b.Ends({in}, {out});
  return b.model();
}

TEST(TflmTest, TheLeastArenaOfTheWheelIsTheMeasuredOne) {
  EXPECT_EQ(PlanOf(ChainOf("ABS", 3, 4), Wheel()).least_arena_bytes, 1368);
  EXPECT_EQ(PlanOf(ChainOf("ABS", 3, 1000), Wheel()).least_arena_bytes, 9032);
  EXPECT_EQ(PlanOf(ChainOf("ABS", 40, 4), Wheel()).least_arena_bytes, 8480);
  EXPECT_EQ(PlanOf(ChainOf("SQUARE", 3, 4), Wheel()).least_arena_bytes, 1272);
  EXPECT_EQ(PlanOf(QuantizedConvolution(), Wheel()).least_arena_bytes, 1784);
}

TEST(TflmTest, PrepareDecidesForASmallQuantisedModel) {
  const TflmPlan plan = PlanOf(QuantizedConvolution(), Wheel());
  EXPECT_EQ(plan.least_arena_bytes, PhaseOf(plan, "prepare"));
  EXPECT_LT(plan.head_bytes + plan.tail_bytes, plan.least_arena_bytes);
  ASSERT_FALSE(plan.layout.notes.empty());
  EXPECT_NE(plan.layout.notes[0].find("prepare of operator 0"),
            std::string::npos)
      << plan.layout.notes[0];
  EXPECT_NE(plan.layout.notes[0].find("(CONV_2D)"), std::string::npos);
}

TEST(TflmTest, TheRunDecidesForLargeActivations) {
  const TflmPlan plan = PlanOf(ChainOf("ABS", 3, 1000), Wheel());
  EXPECT_EQ(plan.least_arena_bytes, PhaseOf(plan, "run"));
  EXPECT_EQ(plan.head_bytes, 8000);
}

TEST(TflmTest, ADeviceNeedsLessThanAHost) {
  const graph::Model model = QuantizedConvolution();
  const Bytes device = PlanOf(model, {}).least_arena_bytes;
  const Bytes host =
      PlanOf(model, {8, TflmBuild::kPlain, {}}).least_arena_bytes;
  EXPECT_LT(device, host);
  EXPECT_LT(host, PlanOf(model, Wheel()).least_arena_bytes);
  // Below, a table of 12 requests of 12 bytes and seven structures of 40 with
  // 12 each for scales and 140 for all zero points: 648. Above, objects of
  // 124, arrays of 88, options of 28 and the kernel's 56 + 32 + 32: 360. With
  // less than 8 bytes between them the kernel's data, which begins at
  // multiples of 16, would reach into the structures.
  EXPECT_EQ(PhaseOf(PlanOf(model, {}), "prepare"), 1016);
}

TEST(TflmTest, PhasesAreOrderedAndNeverAboveTheWhole) {
  for (int pointer : {4, 8}) {
    for (TflmBuild build : {TflmBuild::kPlain, TflmBuild::kWheel}) {
      const TflmPlan plan =
          PlanOf(QuantizedConvolution(), {pointer, build, {}});
      ASSERT_EQ(plan.phases.size(), 4U);
      for (const TflmPhase& phase : plan.phases) {
        EXPECT_GT(phase.bytes, 0) << phase.name;
        EXPECT_LE(phase.bytes, plan.least_arena_bytes) << phase.name;
      }
    }
  }
}

TEST(TflmTest, VariablesLieInTheTail) {
  GraphBuilder b;
  const TensorId in = b.Tensor({4}), state = b.Variable({4}),
                 out = b.Tensor({4});
  b.Operator("ADD", {in, state}, {out});
  b.Ends({in}, {out});
  const TflmPlan plan = PlanOf(b.model(), Wheel());
  EXPECT_EQ(plan.least_arena_bytes, 1096);  // Measured.
  EXPECT_EQ(plan.buffers.size(), 2U);
  const auto piece = plan.layout.piece_of[0][state.index()];
  ASSERT_TRUE(piece.has_value());
  const Piece& variable = plan.layout.pieces[*piece];
  EXPECT_EQ(plan.layout.regions[variable.region].kind, Region::Kind::kTail);
  EXPECT_EQ(variable.owner, Owner::kPersistent);
  EXPECT_EQ(variable.bytes, 16);
}

TEST(TflmTest, ResourceVariablesAreKeptOnceByTheirFirstWriter) {
  GraphBuilder b;
  const TensorId value = b.Tensor({100});
  for (int i = 0; i < 2; ++i) {
    const TensorId handle = b.Tensor({}, DType::kResource);
    b.Operator("VAR_HANDLE", {}, {handle}).attributes.Set("shared_name", "v");
    b.Operator("ASSIGN_VARIABLE", {handle, value}, {});
  }
  b.Ends({value}, {});
  const TflmPlan plan = PlanOf(b.model(), Wheel());
  Bytes largest = 0;
  int of_that_size = 0;
  for (const Piece& piece : plan.layout.pieces) {
    if (piece.owner != Owner::kPersistent) continue;
    largest = std::max(largest, piece.bytes);
    if (piece.bytes == 400) ++of_that_size;
  }
  EXPECT_EQ(largest, 400);
  EXPECT_EQ(of_that_size, 1);
  // The handles lie in the kernels' data; only the value is planned.
  ASSERT_EQ(plan.buffers.size(), 1U);
  EXPECT_EQ(plan.buffers[0].tensor.tensor, value);
}

TEST(TflmTest, AnOfflinePlanIsHonoured) {
  const graph::Model model = ChainOf("ABS", 3, 4);
  TflmOptions options;
  options.offline_offsets = {-1, 64, -1, 160};
  const TflmPlan plan = PlanOf(model, options);
  std::vector<Bytes> offsets;
  for (const TflmBuffer& buffer : plan.buffers) {
    offsets.push_back(buffer.offset);
  }
  EXPECT_EQ(offsets, (std::vector<Bytes>{0, 64, 0, 160}));
  EXPECT_EQ(plan.head_bytes, 176);
}

TEST(TflmTest, AVariableThatTheOfflinePlanForgetsIsReported) {
  GraphBuilder b;
  const TensorId in = b.Tensor({4}), out = b.Tensor({4});
  b.Operator("CALL_ONCE", {}, {}).callees = {SubgraphId(1)};
  b.Operator("ABS", {in}, {out});
  b.Ends({in}, {out});
  b.NextSubgraph();
  b.Variable({4});
  TflmOptions options;
  // Tensor 0 of subgraph 0 is placed; the variable's own entry is -1.
  options.offline_offsets = {0, -1, -1};
  const TflmPlan plan = PlanOf(b.model(), options);
  EXPECT_NE(plan.layout.notes.back().find("no memory"), std::string::npos);
  options.offline_offsets = {-1, -1, 32};
  const TflmPlan twice = PlanOf(b.model(), options);
  EXPECT_EQ(twice.buffers.size(), 3U);
  EXPECT_EQ(
      std::count_if(twice.layout.pieces.begin(), twice.layout.pieces.end(),
                    [](const Piece& piece) {
                      return piece.label == "variable that is in the head";
                    }),
      1);
}

TEST(TflmTest, SubgraphsThatNobodyCallsStillCostHead) {
  GraphBuilder b;
  const TensorId in = b.Tensor({4}), out = b.Tensor({4});
  b.Operator("ABS", {in}, {out});
  b.Ends({in}, {out});
  const Bytes head = PlanOf(b.model(), Wheel()).head_bytes;
  b.NextSubgraph();
  const TensorId other = b.Tensor({100}), result = b.Tensor({100});
  b.Operator("ABS", {other}, {result});
  b.Ends({other}, {result});
  const TflmPlan plan = PlanOf(b.model(), Wheel());
  EXPECT_EQ(head, 32);
  EXPECT_EQ(plan.head_bytes, 800);
  EXPECT_NE(plan.layout.notes[1].find("nobody calls"), std::string::npos);
}

TEST(TflmTest, AnOperatorWithoutAKernelIsNamedOnce) {
  const TflmPlan plan = PlanOf(ChainOf("TOPK_V2", 2, 4), {});
  EXPECT_EQ(plan.without_kernel, std::vector<std::string>{"TOPK_V2"});
  EXPECT_NE(plan.layout.notes.back().find("TOPK_V2"), std::string::npos);
}

TEST(TflmTest, TheLayoutHoldsWhatThePlanSays) {
  const TflmPlan plan = PlanOf(QuantizedConvolution(), Wheel());
  const Layout& layout = plan.layout;
  EXPECT_EQ(layout.engine, "tflm");
  EXPECT_EQ(layout.phases.size(), plan.phases.size());
  EXPECT_EQ(BytesOf(layout, Region::Kind::kTail), plan.tail_bytes);
  EXPECT_EQ(AlignUp(BytesOf(layout, Region::Kind::kArena), 16),
            plan.head_bytes);
  Bytes tail = 0;
  for (const Piece& piece : layout.pieces) {
    if (piece.region == 1) tail += piece.bytes;
  }
  EXPECT_EQ(tail, plan.tail_bytes);  // Without gaps that nobody owns.
  for (const TflmBuffer& buffer : plan.buffers) {
    const auto index = layout.piece_of[0][buffer.tensor.tensor.index()];
    ASSERT_TRUE(index.has_value());
    EXPECT_EQ(layout.pieces[*index].offset, buffer.offset);
    EXPECT_EQ(layout.pieces[*index].live, (plan::LiveRange{0, 1}));
  }
}

TEST(TflmTest, BadOptionsAndGraphsAreRefused) {
  const graph::Model model = ChainOf("ABS", 1, 4);
  EXPECT_EQ(PlanTflm(model, {2, TflmBuild::kPlain, {}}).error().kind,
            ErrorKind::kUsage);
  EXPECT_FALSE(PlanTflm(model, {4, TflmBuild::kPlain, {0}}).has_value());
  EXPECT_FALSE(PlanTflm(graph::Model(), {}).has_value());
  EXPECT_FALSE(PlanTflm(ChainOf("ABS", 1, -1), {}).has_value());
  EXPECT_FALSE(PlanTflm(ChainOf("ABS", 1, int64_t{1} << 50), {}).has_value());
}

std::vector<std::byte> BytesOfWords(const std::vector<uint32_t>& words) {
  std::vector<std::byte> bytes;
  for (uint32_t word : words) {
    for (int i = 0; i < 4; ++i) {
      bytes.push_back(static_cast<std::byte>(word >> (8 * i) & 0xFF));
    }
  }
  return bytes;
}

TEST(TflmOfflinePlanTest, OffsetsFollowThreeWords) {
  // The published plan of a detector for an accelerator.
  const std::vector<std::byte> bytes =
      BytesOfWords({0, 1, 4, 0, 1, 0xFFFFFFFF, 6});
  const auto offsets = ReadTflmOfflinePlan(bytes, 4);
  ASSERT_TRUE(offsets.has_value());
  EXPECT_EQ(*offsets, (std::vector<int32_t>{0, 1, -1, 6}));
}

TEST(TflmOfflinePlanTest, ABrokenEntryIsRefused) {
  EXPECT_FALSE(ReadTflmOfflinePlan({}, 0).has_value());
  EXPECT_FALSE(
      ReadTflmOfflinePlan(BytesOfWords({0, 1, 2, 0, 0}), 3).has_value());
  EXPECT_FALSE(ReadTflmOfflinePlan(BytesOfWords({0, 1, 2, 0}), 2).has_value());
  EXPECT_FALSE(
      ReadTflmOfflinePlan(BytesOfWords({0, 1, 1, 0x80000000}), 1).has_value());
  EXPECT_TRUE(ReadTflmOfflinePlan(BytesOfWords({0, 1, 0}), 0).has_value());
}

}  // namespace
}  // namespace stowplan::engines
