// SPDX-License-Identifier: Apache-2.0
//
// Operands that no converter writes: of the wrong type or size, without the
// quantisation that the operator reckons with. Each is refused before it is
// read.
#include <gtest/gtest.h>

#include <functional>

#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

// How an operand is made; integers get one scale unless there are others.
struct Operand {
  Type type = Type::kFloat32;
  std::vector<int64_t> shape;
  std::vector<float> scales = {};
  std::vector<int64_t> zeros = {};
  int32_t block = 0;
  std::vector<uint16_t> halves = {};
};

constexpr Type kF = Type::kFloat32;
constexpr Type kI = Type::kInt32;
constexpr Type kB = Type::kInt8;

struct Case {
  std::string type;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::string says;  // Part of the refusal; empty if there is none.
};

Tensor* Make(TestNode& node, const Operand& operand) {
  Tensor& tensor = node.Add<int8_t>(operand.type, operand.shape, {});
  if (!operand.scales.empty()) {
    node.Quantize(tensor, operand.scales, operand.zeros);
  }
  tensor.quantization.block_size = operand.block;
  tensor.quantization.half_scales = operand.halves;
  return &tensor;
}

std::string Refusal(const Case& one) {
  TestNode node(one.type);
  for (const Operand& input : one.inputs) node.Input(Make(node, input));
  for (const Operand& output : one.outputs) node.Output(Make(node, output));
  static const Registry kRegistry = Registry::Reference();
  const auto needs = kRegistry.Find(one.type)->prepare(node.Bind());
  return needs ? "" : needs.error().ToString();
}

void ExpectRefused(const std::vector<Case>& cases) {
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string refusal = Refusal(cases[i]);
    if (cases[i].says.empty()) {
      EXPECT_EQ(refusal, "") << cases[i].type << ", case " << i;
    } else {
      EXPECT_NE(refusal.find(cases[i].says), std::string::npos)
          << cases[i].type << ", case " << i << ": '" << refusal << "'";
    }
  }
}

TEST(OperandsTest, ABiasHasOneNumberOfTheRightTypeForEachChannel) {
  const Operand image = {kF, {1, 4, 4, 2}};
  const Operand filters = {kF, {8, 1, 1, 2}};
  const Operand out = {kF, {1, 4, 4, 8}};
  const Operand row = {kF, {3, 2}};
  const Operand weights = {kF, {8, 2}};
  ExpectRefused({
      {"CONV_2D", {image, filters, {kF, {8}}}, {out}, ""},
      {"CONV_2D", {image, filters, {kF, {1}}}, {out}, "1 elements"},
      {"CONV_2D", {image, filters, {kB, {8}}}, {out}, "the type int8"},
      {"DEPTHWISE_CONV_2D",
       {image, {kF, {1, 1, 1, 8}}, {kF, {1}}},
       {out},
       "1 elements"},
      {"DEPTHWISE_CONV_2D",
       {image, {kF, {1, 1, 1, 8}}, {Type::kInt64, {8}}},
       {out},
       "the type int64"},
      {"TRANSPOSE_CONV",
       {{kI, {4}}, filters, image, {kF, {1}}},
       {out},
       "1 elements"},
      {"FULLY_CONNECTED", {row, weights, {kF, {8}}}, {{kF, {3, 8}}}, ""},
      {"FULLY_CONNECTED",
       {row, weights, {kF, {1}}},
       {{kF, {3, 8}}},
       "1 elements"},
      {"FULLY_CONNECTED",
       {row, weights, {kI, {8}}},
       {{kF, {3, 8}}},
       "the type int32"},
  });
}

TEST(OperandsTest, IntegerWeightsHaveOneScaleOrOneForEachChannel) {
  const Operand image = {kF, {1, 4, 4, 2}};
  const Operand out = {kF, {1, 4, 4, 8}};
  const std::vector<float> all(8, 0.5f);
  ExpectRefused({
      {"CONV_2D", {image, {kB, {8, 1, 1, 2}, {0.5f}}}, {out}, ""},
      {"CONV_2D", {image, {kB, {8, 1, 1, 2}, all}}, {out}, ""},
      {"CONV_2D", {image, {kB, {8, 1, 1, 2}}}, {out}, "0 scales"},
      {"CONV_2D", {image, {kB, {8, 1, 1, 2}, {1, 1}}}, {out}, "2 scales"},
      {"CONV_2D",
       {image, {kB, {8, 1, 1, 2}, all, {0, 0}}},
       {out},
       "differ in number"},
      {"DEPTHWISE_CONV_2D",
       {image, {kB, {1, 1, 1, 8}, {1, 1}}},
       {out},
       "2 scales"},
      {"FULLY_CONNECTED",
       {{kF, {3, 2}}, {kB, {8, 2}}},
       {{kF, {3, 8}}},
       "0 scales"},
      {"BATCH_MATMUL",
       {{kF, {3, 2}}, {kB, {2, 8}}},
       {{kF, {3, 8}}},
       "0 scales"},
      {"CONV_2D",
       {{kB, {1, 4, 4, 2}}, {kB, {8, 1, 1, 2}, all}},
       {{kB, {1, 4, 4, 8}, {1.0f}}},
       "no quantisation"},
      {"EMBEDDING_LOOKUP",
       {{kI, {3}}, {kB, {4, 2}, {1, 1}}},
       {{kF, {3, 2}}},
       "2 scales"},
  });
}

TEST(OperandsTest, EachWholeBlockOfWeightsHasAScale) {
  const auto layer = [](int32_t block, size_t scales, std::string says) {
    return Case{"FULLY_CONNECTED",
                {{kF, {1, 32}},
                 {Type::kInt4,
                  {4, 32},
                  {},
                  {},
                  block,
                  std::vector<uint16_t>(scales, 0x3C00)}},
                {{kF, {1, 4}}},
                std::move(says)};
  };
  ExpectRefused({
      layer(16, 8, ""),
      layer(16, 2, "8 blocks have 2 scales"),
      layer(24, 8, "no whole blocks of 24"),
      layer(-1, 8, "no whole blocks"),
  });
}

TEST(OperandsTest, ZeroPointsLieInTheirType) {
  const auto sum = [](int64_t zero, std::string says) {
    const Operand x = {kB, {4}, {0.5f}, {zero}};
    return Case{"ADD", {x, x}, {x}, std::move(says)};
  };
  ExpectRefused({sum(-128, ""), sum(127, ""), sum(128, "128 is none of int8"),
                 sum(INT64_MAX, "none of int8"),
                 sum(INT64_MIN, "none of int8")});
}

TEST(OperandsTest, NumbersThatSayHowHaveTheirTypeAndCount) {
  const Operand x = {kF, {4, 6}};
  const Operand one = {kI, {}};
  const Operand real = {kF, {}};
  const Operand boxes = {kF, {5, 4}};
  const Operand scores = {kF, {5}};
  ExpectRefused({
      {"SLICE", {x, {kI, {1}}, {kI, {2}}}, {{kF, {2, 2}}}, "1 elements"},
      {"SLICE", {x, {kI, {2}}, {kI, {1}}}, {{kF, {2, 2}}}, "1 elements"},
      {"STRIDED_SLICE",
       {x, {kI, {2}}, {kI, {1}}, {kI, {2}}},
       {{kF, {2, 2}}},
       "1 elements"},
      {"STRIDED_SLICE",
       {x, {kI, {64}}, {kI, {64}}, {kI, {64}}},
       {{kF, {2, 2}}},
       "32 bits"},
      {"FILL", {{kI, {1}}, {kF, {0}}}, {{kF, {4}}}, "0 elements"},
      {"RANGE", {one, one, one}, {{Type::kInt64, {5}}}, "the type int32"},
      {"TOPK_V2", {x, one}, {{kB, {4, 3}}, {kI, {4, 3}}}, "the type int8"},
      {"TOPK_V2", {x, one}, {{kF, {4, 3}}, {kI, {4, 2}}}, "8 elements"},
      {"TOPK_V2", {x, one}, {{kF, {4, 3}}, {kI, {4, 3}}}, ""},
      {"SPARSE_TO_DENSE",
       {{kI, {9, 1}}, {kI, {1}}, {kF, {3}}, real},
       {{kF, {4}}},
       "3 elements"},
      {"SPARSE_TO_DENSE",
       {{kI, {1, 9}}, {kI, {2}}, {kF, {1}}, real},
       {x},
       "each axis"},
      {"SEGMENT_SUM", {{kF, {2}}, {kI, {9}}}, {{kF, {3}}}, "do not match"},
      {"UNSORTED_SEGMENT_SUM",
       {{kF, {2}}, {kI, {2}}, {kI, {0}}},
       {{kF, {3}}},
       "0 elements"},
      {"NON_MAX_SUPPRESSION_V4",
       {boxes, scores, one, real, real},
       {{kB, {3}}, one},
       "the type int8"},
      {"NON_MAX_SUPPRESSION_V4",
       {boxes, scores, one, {kB, {}}, real},
       {{kI, {3}}, one},
       "the type int8"},
      {"NON_MAX_SUPPRESSION_V4",
       {boxes, scores, one, real, real},
       {{kI, {3}}, one},
       ""},
      {"SCATTER_ND", {{kI, {3, 2}}, {kF, {2}}, {kI, {2}}}, {x}, "2 elements"},
      {"CUMSUM", {x, {kI, {0}}}, {x}, "0 elements"},
      {"CONCATENATION", {x, x}, {{kF, {4, 6}}}, "do not make up"},
      {"PACK", {x, {kF, {4}}}, {{kF, {2, 4, 6}}}, "4 elements"},
      {"RFFT2D", {x, {kI, {1}}}, {{Type::kComplex64, {4, 4}}}, "1 elements"},
      {"BATCH_MATMUL", {x, x}, {{kF, {4, 6}}}, "do not match"},
  });
}

TEST(OperandsTest, FakeQuantTakesTwoToSixteenBits) {
  for (const int64_t bits : {-1, 1, 2, 16, 17, 64}) {
    TestNode node("FAKE_QUANT");
    node.Input(&node.Add<float>(kF, {1}, {1.0f}));
    node.Output(&node.Add<float>(kF, {1}, {}));
    node.SetReal("max", 2.0);
    node.SetInt("num_bits", bits);
    EXPECT_EQ(static_cast<bool>(node.Run()), bits >= 2 && bits <= 16) << bits;
  }
}

// One filter of rank 1 with a memory of two values.
TEST(OperandsTest, AStateThatIsConstantIsRefused) {
  for (bool constant : {false, true}) {
    TestNode node("SVDF");
    Tensor& x = node.Add<float>(Type::kFloat32, {1, 1}, {1.0f});
    Tensor& w = node.Add<float>(Type::kFloat32, {1, 1}, {1.0f});
    Tensor& t = node.Add<float>(Type::kFloat32, {1, 2}, {1.0f, 1.0f});
    Tensor& b = node.Add<float>(Type::kFloat32, {1}, {0.0f});
    Tensor& state = node.Add<float>(Type::kFloat32, {1, 2}, {0.0f, 0.0f});
    state.constant = constant;
    Tensor& y = node.Add<float>(Type::kFloat32, {1, 1}, {});
    for (Tensor* input : {&x, &w, &t, &b, &state}) node.Input(input);
    node.Output(&y);
    node.SetInt("rank", 1);
    EXPECT_EQ(node.Run().has_value(), !constant);
  }
}

}  // namespace
}  // namespace stowplan::kernels
