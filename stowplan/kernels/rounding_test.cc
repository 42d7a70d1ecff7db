// SPDX-License-Identifier: Apache-2.0
//
// Halves and nearly halves, which LiteRT's kernels do not all round alike. The
// expected values are what LiteRT 2.3.0 gives without its delegate.
#include <gtest/gtest.h>

#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

template <class T>
std::vector<T> ValuesOf(const Tensor& tensor) {
  return {tensor.As<T>(), tensor.As<T>() + tensor.shape.elements()};
}

// The output of an operator of one row of int8, or none if it fails.
std::vector<int8_t> RunRow(TestNode& node, const std::vector<int8_t>& row,
                           float in, float out) {
  const auto size = static_cast<int64_t>(row.size());
  Tensor& x = node.Add<int8_t>(Type::kInt8, {size}, row);
  Tensor& y = node.Add<int8_t>(Type::kInt8, {size}, {});
  node.Quantize(x, {in}, {0});
  node.Quantize(y, {out}, {0});
  node.Input(&x);
  node.Output(&y);
  if (!node.Run(Arithmetic::kLiteRt)) return {};
  return ValuesOf<int8_t>(y);
}

TEST(RoundingTest, ActivationsTakeTheRatioOfScalesInSinglePrecision) {
  // 14 * 0.061 / 0.028 is 30.5 but for the last bits of the ratio.
  for (const char* type : {"RELU", "LEAKY_RELU", "ABS"}) {
    TestNode node(type);
    EXPECT_EQ(RunRow(node, {14}, 0.061f, 0.028f), std::vector<int8_t>{31})
        << type;
  }
}

TEST(RoundingTest, AbsTakesValuesBelowZeroToTheOtherSide) {
  TestNode node("ABS");
  EXPECT_EQ(RunRow(node, {-128, -3, 0, 5}, 0.5f, 0.5f),
            (std::vector<int8_t>{127, 3, 0, 5}));
}

TEST(RoundingTest, QuantizeMultipliesByTheInverse) {
  TestNode node("QUANTIZE");
  Tensor& x = node.Add<float>(Type::kFloat32, {1}, {-3.9599998f});
  Tensor& y = node.Add<int8_t>(Type::kInt8, {1}, {});
  node.Quantize(y, {0.08f}, {0});
  node.Input(&x);
  node.Output(&y);
  ASSERT_TRUE(node.Run());
  EXPECT_EQ(ValuesOf<int8_t>(y), std::vector<int8_t>{-49});
}

std::vector<bool> RunEqual(Arithmetic arithmetic) {
  TestNode node("EQUAL");
  Tensor& a = node.Add<int8_t>(Type::kInt8, {3}, {0, 2, 5});
  Tensor& b = node.Add<int8_t>(Type::kInt8, {3}, {1, 3, 6});
  Tensor& y = node.Add<uint8_t>(Type::kBool, {3}, {});
  node.Quantize(a, {1.0f / 1024}, {0});
  node.Quantize(b, {1.0f / 1024}, {0});
  node.Input(&a);
  node.Input(&b);
  node.Output(&y);
  if (!node.Run(arithmetic)) return {};
  return std::vector<bool>(y.As<bool>(), y.As<bool>() + 3);
}

TEST(RoundingTest, ComparisonsOfLiteRtSeeStepsOfOne256th) {
  EXPECT_EQ(RunEqual(Arithmetic::kLiteRt),
            (std::vector<bool>{true, true, false}));
  EXPECT_EQ(RunEqual(Arithmetic::kFloat),
            (std::vector<bool>{false, false, false}));
}

TEST(RoundingTest, ActivationsAreQuantisedBeforeTheZeroPointIsAdded) {
  // Steps of 1 from -128; 30.5 steps are 31, while -97.5 would be -98.
  TestNode node("FULLY_CONNECTED");
  Tensor& x = node.Add<float>(Type::kFloat32, {1, 3}, {0.0f, 255.0f, 30.5f});
  Tensor& w = node.Add<int8_t>(Type::kInt8, {1, 3}, {0, 0, 1});
  Tensor& y = node.Add<float>(Type::kFloat32, {1, 1}, {});
  node.Quantize(w, {1.0f}, {0});
  node.SetInt("asymmetric_quantize_inputs", 1);
  for (Tensor* input : {&x, &w}) node.Input(input);
  node.Output(&y);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  EXPECT_EQ(ValuesOf<float>(y), std::vector<float>{31.0f});
}

// A sum of -2 in every channel, at a quarter of a step a unit: 0 or -1.
template <class T>
std::vector<int32_t> RunDepthwise(Type type, int64_t zero, int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  TestNode node("DEPTHWISE_CONV_2D");
  Tensor& x = node.Add<T>(type, {1, 1, 1, channels},
                          std::vector<T>(count, static_cast<T>(zero - 2)));
  Tensor& w = node.Add<T>(type, {1, 1, 1, channels},
                          std::vector<T>(count, static_cast<T>(zero + 1)));
  Tensor& b = node.Add<int32_t>(Type::kInt32, {channels},
                                std::vector<int32_t>(count, 0));
  Tensor& y = node.Add<T>(type, {1, 1, 1, channels}, {});
  for (Tensor* tensor : {&x, &w}) node.Quantize(*tensor, {1.0f}, {zero});
  node.Quantize(y, {4.0f}, {zero});
  for (Tensor* input : {&x, &w, &b}) node.Input(input);
  node.Output(&y);
  node.SetInt("stride_h", 1);
  node.SetInt("stride_w", 1);
  node.SetInt("depth_multiplier", 1);
  node.SetText("padding", "VALID");
  if (!node.Run(Arithmetic::kLiteRt)) return {};
  std::vector<int32_t> steps;
  for (T value : ValuesOf<T>(y)) {
    steps.push_back(static_cast<int32_t>(value - zero));
  }
  return steps;
}

TEST(RoundingTest, DepthwiseTiesGoUpInWholeBlocksOfEightInt8Channels) {
  EXPECT_EQ(RunDepthwise<int8_t>(Type::kInt8, 0, 9),
            (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 0, 0, -1}));
  EXPECT_EQ(RunDepthwise<uint8_t>(Type::kUInt8, 128, 9),
            std::vector<int32_t>(9, -1));
}

TEST(RoundingTest, TransposedConvolutionTiesGoUpInWholeBlocksToo) {
  TestNode node("TRANSPOSE_CONV");
  Tensor& shape = node.Add<int32_t>(Type::kInt32, {4}, {1, 1, 1, 9});
  shape.constant = true;
  Tensor& w =
      node.Add<int8_t>(Type::kInt8, {9, 1, 1, 1}, std::vector<int8_t>(9, 1));
  Tensor& x = node.Add<int8_t>(Type::kInt8, {1, 1, 1, 1}, {-2});
  Tensor& y = node.Add<int8_t>(Type::kInt8, {1, 1, 1, 9}, {});
  for (Tensor* tensor : {&x, &w}) node.Quantize(*tensor, {1.0f}, {0});
  node.Quantize(y, {4.0f}, {0});
  for (Tensor* input : {&shape, &w, &x}) node.Input(input);
  node.Output(&y);
  node.SetInt("stride_h", 1);
  node.SetInt("stride_w", 1);
  node.SetText("padding", "VALID");
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  EXPECT_EQ(ValuesOf<int8_t>(y),
            (std::vector<int8_t>{0, 0, 0, 0, 0, 0, 0, 0, -1}));
}

TEST(RoundingTest, TablesOfLogisticAreFilledByThePlainFormula) {
  TestNode node("LOGISTIC");
  Tensor& x = node.Add<int8_t>(Type::kInt8, {1}, {-50});
  Tensor& y = node.Add<int8_t>(Type::kInt8, {1}, {});
  node.Quantize(x, {0.00042615621350705624f}, {5});
  node.Quantize(y, {1.0f / 256.0f}, {-128});
  node.Input(&x);
  node.Output(&y);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  EXPECT_EQ(y.As<int8_t>()[0], -2);  // 126.5 but for the last bit.
}

// 2 and 38 in each of `count` elements: -94.5 but for the last bits.
std::vector<int8_t> SumsOf(int64_t count) {
  const auto size = static_cast<size_t>(count);
  TestNode node("ADD");
  Tensor& a =
      node.Add<int8_t>(Type::kInt8, {count}, std::vector<int8_t>(size, 2));
  Tensor& b =
      node.Add<int8_t>(Type::kInt8, {count}, std::vector<int8_t>(size, 38));
  Tensor& sum = node.Add<int8_t>(Type::kInt8, {count}, {});
  node.Quantize(a, {0.017389489337801933f}, {9});
  node.Quantize(b, {0.013387496583163738f}, {1});
  node.Quantize(sum, {0.011152566410601139f}, {-128});
  node.Input(&a);
  node.Input(&b);
  node.Output(&sum);
  if (!node.Run(Arithmetic::kLiteRt)) return {};
  return ValuesOf<int8_t>(sum);
}

TEST(RoundingTest, AddCutsOffOperandsWhereLiteRtHasVectorCode) {
  const std::vector<int8_t> sums = SumsOf(17);
  ASSERT_EQ(sums.size(), 17u);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(sums[i], -95) << i;
  EXPECT_EQ(sums[16], -94);
}

// Two pixels of two channels, each weight 1: -2.5 in steps of the output.
std::vector<int8_t> HalfBelowZero(int64_t groups) {
  TestNode node("CONV_2D");
  Tensor& x = node.Add<int8_t>(Type::kInt8, {1, 1, 1, 2}, {-10, -10});
  Tensor& w =
      node.Add<int8_t>(Type::kInt8, {2, 1, 1, 2 / groups}, {1, 0, 1, 0});
  if (groups == 2) w.As<int8_t>()[1] = 1;
  Tensor& y = node.Add<int8_t>(Type::kInt8, {1, 1, 1, 2}, {});
  node.Quantize(x, {0.25f}, {0});
  node.Quantize(w, {1.0f}, {0});
  node.Quantize(y, {1.0f}, {0});
  node.Input(&x);
  node.Input(&w);
  node.Output(&y);
  node.SetText("padding", "VALID");
  node.SetInt("stride_h", 1);
  node.SetInt("stride_w", 1);
  if (!node.Run(Arithmetic::kLiteRt)) return {};
  return ValuesOf<int8_t>(y);
}

TEST(RoundingTest, TiesOfGroupedConvolutionsGoAwayFromZero) {
  EXPECT_EQ(HalfBelowZero(1), (std::vector<int8_t>{-2, -2}));
  EXPECT_EQ(HalfBelowZero(2), (std::vector<int8_t>{-3, -3}));
}

}  // namespace
}  // namespace stowplan::kernels
