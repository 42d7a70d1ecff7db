// SPDX-License-Identifier: Apache-2.0
//
// The order in which floats are added, which decides their last bits: LiteRT's
// without its delegate.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

std::vector<float> Thirds(TestRandom& random, int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random.In(-900, 900)) / 3.0f);
  }
  return values;
}

struct Layer {
  int64_t rows, units, depth;
  std::vector<float> input;
  std::vector<float> weights;

  Layer(int64_t r, int64_t u, int64_t d) : rows(r), units(u), depth(d) {
    TestRandom random(static_cast<uint64_t>(r * 1000 + u * 100 + d));
    input = Thirds(random, rows * depth);
    weights = Thirds(random, units * depth);
  }

  std::vector<float> Run() const {
    TestNode node("FULLY_CONNECTED");
    node.Input(&node.Add<float>(Type::kFloat32, {rows, depth}, input));
    node.Input(&node.Add<float>(Type::kFloat32, {units, depth}, weights));
    Tensor& output = node.Add<float>(Type::kFloat32, {rows, units}, {});
    node.Output(&output);
    EXPECT_TRUE(node.Run());
    return {output.As<float>(), output.As<float>() + rows * units};
  }
  // Each output by `sum(row, weights, depth)`.
  template <class Sum>
  std::vector<float> By(const Sum& sum) const {
    std::vector<float> out;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t u = 0; u < units; ++u) {
        out.push_back(
            sum(input.data() + r * depth, weights.data() + u * depth, depth));
      }
    }
    return out;
  }
};

float OneByOne(const float* a, const float* b, int64_t size) {
  float sum = 0.0f;
  for (int64_t k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

float InFourLanes(const float* a, const float* b, int64_t size) {
  float lanes[4] = {};
  for (int64_t k = 0; k < size; ++k) lanes[k % 4] += a[k] * b[k];
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

TEST(FloatOrderTest, MatricesAreMultipliedElementByElement) {
  for (const auto& [rows, units, depth] : std::vector<std::array<int64_t, 3>>{
           {2, 2, 7}, {4, 3, 256}, {5, 67, 300}, {16, 64, 513}, {33, 65, 40}}) {
    const Layer layer(rows, units, depth);
    EXPECT_EQ(layer.Run(), layer.By(OneByOne)) << rows << " rows";
  }
}

// Sums of 584 and 568 elements, then their sum.
float InTwoParts(const float* a, const float* b, int64_t size) {
  return OneByOne(a, b, 584) + OneByOne(a + 584, b + 584, size - 584);
}

TEST(FloatOrderTest, ADepthOverTheCacheIsAddedUpInParts) {
  const Layer deep(6, 3, 1152);
  EXPECT_EQ(deep.Run(), deep.By(InTwoParts));
  const Layer whole(6, 3, 1016);
  EXPECT_EQ(whole.Run(), whole.By(OneByOne));
}

TEST(FloatOrderTest, AVectorIsMultipliedInFourLanes) {
  for (const int64_t depth : {4, 128, 260, 768}) {
    const Layer row(1, 5, depth);
    EXPECT_EQ(row.Run(), row.By(InFourLanes)) << depth;
    const Layer column(5, 1, depth);
    EXPECT_EQ(column.Run(), column.By(InFourLanes)) << depth;
  }
}

// Four chains of four lanes in turn.
float InFourChains(const float* a, const float* b, int64_t size) {
  float lanes[16] = {};
  for (int64_t k = 0; k < size; ++k) lanes[k % 16] += a[k] * b[k];
  float sums[4];
  for (int64_t i = 0; i < 4; ++i) {
    sums[i] = (lanes[i] + lanes[4 + i]) + (lanes[8 + i] + lanes[12 + i]);
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

TEST(FloatOrderTest, TwoVectorsAreMultipliedInFourChainsOfLanes) {
  const Layer layer(1, 1, 768);
  EXPECT_EQ(layer.Run(), layer.By(InFourChains));
}

TEST(FloatOrderTest, VectorsOfAnyDepthAreSummedWhole) {
  for (const int64_t depth : {1, 3, 5, 17, 259, 1023}) {
    for (const int64_t units : {1, 3}) {
      Layer layer(1, units, depth);
      layer.input.assign(layer.input.size(), 1.0f);
      for (float& weight : layer.weights) weight = 2.0f;
      for (const float sum : layer.Run()) {
        EXPECT_EQ(sum, 2.0f * static_cast<float>(depth));
      }
    }
  }
}

TEST(LogisticTest, IsExactFarFromZero) {
  const std::vector<float> values = {-104.0f, -87.0f, -20.0f, 0.0f,
                                     20.0f,   100.0f, -1e30f, 1e30f};
  TestNode node("LOGISTIC");
  node.Input(&node.Add<float>(Type::kFloat32, {8}, values));
  Tensor& output = node.Add<float>(Type::kFloat32, {8}, {});
  node.Output(&output);
  ASSERT_TRUE(node.Run());
  for (size_t i = 0; i < values.size(); ++i) {
    const double exact = 1.0 / (1.0 + std::exp(-double{values[i]}));
    EXPECT_NEAR(output.As<float>()[i], exact, exact * 2e-7 + 1e-44)
        << values[i];
  }
}

TEST(FloatOrderTest, DepthwiseSumsBeginWithTheBias) {
  TestNode node("DEPTHWISE_CONV_2D");
  node.Input(&node.Add<float>(Type::kFloat32, {1, 1, 2, 1}, {1, 1}));
  node.Input(&node.Add<float>(Type::kFloat32, {1, 1, 2, 1}, {1, 1}));
  node.Input(&node.Add<float>(Type::kFloat32, {1}, {16777216}));
  Tensor& output = node.Add<float>(Type::kFloat32, {1, 1, 1, 1}, {});
  node.Output(&output);
  node.SetText("padding", "VALID");
  node.SetInt("stride_h", 1);
  node.SetInt("stride_w", 1);
  ASSERT_TRUE(node.Run());
  EXPECT_EQ(output.As<float>()[0], 16777216.0f);  // 1 + 1 first: two more.
}

TEST(FloatOrderTest, WhatOverflowsIsTheLargestNumberInLiteRtsArithmetic) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  TestNode node("ADD");
  node.Input(&node.Add<float>(Type::kFloat32, {3}, {kInfinity, kMax, -kMax}));
  node.Input(&node.Add<float>(Type::kFloat32, {3}, {1.0f, kMax, -kMax}));
  Tensor& output = node.Add<float>(Type::kFloat32, {3}, {});
  node.Output(&output);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  EXPECT_EQ(output.As<float>()[0], kMax);
  EXPECT_EQ(output.As<float>()[1], kMax);
  EXPECT_EQ(output.As<float>()[2], -kMax);
}

TEST(FloatOrderTest, WholeNumbersKeepTheirWholeRange) {
  TestNode node("ADD");
  node.Input(&node.Add<int32_t>(Type::kInt32, {2}, {INT32_MAX, INT32_MIN}));
  node.Input(&node.Add<int32_t>(Type::kInt32, {2}, {0, 0}));
  Tensor& output = node.Add<int32_t>(Type::kInt32, {2}, {});
  node.Output(&output);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  EXPECT_EQ(output.As<int32_t>()[0], INT32_MAX);
  EXPECT_EQ(output.As<int32_t>()[1], INT32_MIN);
}

}  // namespace
}  // namespace stowplan::kernels
