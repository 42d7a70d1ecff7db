// SPDX-License-Identifier: Apache-2.0
//
// Where Arithmetic::kLiteRt rounds halves: by hand, with factors of 1/4 so
// that -2 is a tie. LiteRT's vector code rounds it up, its scalar code away
// from zero.
#include <gtest/gtest.h>

#include <limits>

#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

template <class T>
std::vector<int> Values(const Tensor& tensor) {
  const T* values = tensor.As<T>();
  return {values, values + tensor.shape.elements()};
}

// A 1x1 convolution of one pixel with sums of -2, a quarter of them.
std::vector<int> PixelTie(int64_t channels, int64_t filters, int64_t depth) {
  TestNode node("CONV_2D");
  const auto count = static_cast<size_t>(channels);
  std::vector<int8_t> image(count, 0);
  for (size_t i = 0; i < count; i += static_cast<size_t>(depth)) image[i] = -2;
  Tensor& input = node.Add(Type::kInt8, {1, 1, 1, channels}, image);
  node.Quantize(input, {1.0f}, {0});
  Tensor& weights =
      node.Add(Type::kInt8, {filters, 1, 1, depth},
               std::vector<int8_t>(static_cast<size_t>(filters * depth), 1));
  node.Quantize(weights, {1.0f}, {0});
  node.Input(&input);
  node.Input(&weights);
  Tensor& output = node.Add<int8_t>(Type::kInt8, {1, 1, 1, filters}, {});
  node.Quantize(output, {4.0f}, {0});
  node.Output(&output);
  node.SetText("padding", "VALID");
  node.SetInt("stride_h", 1);
  node.SetInt("stride_w", 1);
  node.SetInt("dilation_h_factor", 1);
  node.SetInt("dilation_w_factor", 1);
  EXPECT_TRUE(node.Run(Arithmetic::kLiteRt));
  return Values<int8_t>(output);
}

TEST(LiteRtRoundingTest, ConvolutionsRoundHalvesUpAndGroupsAwayFromZero) {
  EXPECT_EQ(PixelTie(2, 2, 2), (std::vector<int>{0, 0}));
  EXPECT_EQ(PixelTie(4, 2, 2), (std::vector<int>{-1, -1}));
}

TEST(LiteRtRoundingTest, MeansOfImagesTakeSixteenChannelsAtATime) {
  TestNode node("MEAN");
  const std::vector<int8_t> image(34, -1);
  Tensor& input = node.Add(Type::kInt8, {1, 2, 1, 17}, image);
  Tensor& output = node.Add<int8_t>(Type::kInt8, {1, 1, 1, 17}, {});
  node.Quantize(input, {1.0f}, {0});
  node.Quantize(output, {2.0f}, {0});
  node.Input(&input);
  node.Input(&node.Add<int32_t>(Type::kInt32, {2}, {1, 2}));
  node.Output(&output);
  node.SetInt("keep_dims", 1);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  std::vector<int> expected(16, 0);
  expected.push_back(-1);
  EXPECT_EQ(Values<int8_t>(output), expected);
}

// Rows of one 16-bit input times 1, halved.
std::vector<int> HalvedRows(const std::vector<int16_t>& row, int64_t bias,
                            Type bias_type, const char* says) {
  TestNode node("FULLY_CONNECTED");
  const auto rows = static_cast<int64_t>(row.size());
  Tensor& input = node.Add(Type::kInt16, {rows, 1}, row);
  Tensor& weights = node.Add<int8_t>(Type::kInt8, {1, 1}, {1});
  Tensor& output = node.Add<int16_t>(Type::kInt16, {rows, 1}, {});
  node.Quantize(input, {1.0f}, {0});
  node.Quantize(weights, {1.0f}, {0});
  node.Quantize(output, {2.0f}, {0});
  node.Input(&input);
  node.Input(&weights);
  node.Input(bias_type == Type::kInt64
                 ? &node.Add<int64_t>(Type::kInt64, {1}, {bias})
                 : &node.Add<int32_t>(Type::kInt32, {1},
                                      {static_cast<int32_t>(bias)}));
  node.Output(&output);
  node.SetText("quantized_bias_type", says);
  EXPECT_TRUE(node.Run(Arithmetic::kLiteRt));
  return Values<int16_t>(output);
}

TEST(LiteRtRoundingTest, WideLayersRoundByTheTypeOfTheirBias) {
  const std::vector<int16_t> row = {-3, -1, 1, 3};
  EXPECT_EQ(HalvedRows(row, 0, Type::kInt32, "INT32"),
            (std::vector<int>{-1, 0, 1, 2}));
  EXPECT_EQ(HalvedRows(row, 0, Type::kInt64, "INT64"),
            (std::vector<int>{-2, -1, 1, 2}));
}

TEST(LiteRtRoundingTest, BytesAreResizedAsFloats) {
  TestNode node("RESIZE_BILINEAR");
  Tensor& input = node.Add<uint8_t>(Type::kUInt8, {1, 1, 2, 1}, {0, 3});
  Tensor& output = node.Add<uint8_t>(Type::kUInt8, {1, 1, 4, 1}, {});
  node.Input(&input);
  node.Input(&node.Add<int32_t>(Type::kInt32, {2}, {1, 4}));
  node.Output(&output);
  node.SetInt("half_pixel_centers", 1);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  // 0, 0.75, 2.25, 3.
  EXPECT_EQ(Values<uint8_t>(output), (std::vector<int>{0, 1, 2, 3}));
}

TEST(LiteRtRoundingTest, SumsOfPowersOfTwoSaturate) {
  TestNode node("ADD");
  Tensor& a = node.Add<int16_t>(Type::kInt16, {3}, {30000, 100, -3});
  Tensor& b = node.Add<int16_t>(Type::kInt16, {3}, {20000, 3, 1});
  Tensor& output = node.Add<int16_t>(Type::kInt16, {3}, {});
  node.Quantize(a, {1.0f / 1024}, {0});
  node.Quantize(b, {1.0f / 2048}, {0});
  node.Quantize(output, {1.0f / 1024}, {0});
  node.Input(&a);
  node.Input(&b);
  node.Output(&output);
  node.SetInt("pot_scale_int16", 1);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  EXPECT_EQ(Values<int16_t>(output), (std::vector<int>{32767, 102, -2}));
}

TEST(LiteRtRoundingTest, SumsOfFloatsAreNeverInfinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (Arithmetic arithmetic : {Arithmetic::kLiteRt, Arithmetic::kFloat}) {
    TestNode node("ADD");
    node.Input(&node.Add<float>(Type::kFloat32, {2}, {kInfinity, 1.0f}));
    node.Input(&node.Add<float>(Type::kFloat32, {2}, {1.0f, 1.0f}));
    Tensor& output = node.Add<float>(Type::kFloat32, {2}, {});
    node.Output(&output);
    ASSERT_TRUE(node.Run(arithmetic));
    EXPECT_EQ(output.As<float>()[0], arithmetic == Arithmetic::kLiteRt
                                         ? std::numeric_limits<float>::max()
                                         : kInfinity);
    EXPECT_EQ(output.As<float>()[1], 2.0f);
  }
}

TEST(LiteRtRoundingTest, SumsOfWholeNumbersHaveTheRangeOfTheirType) {
  for (Arithmetic arithmetic : {Arithmetic::kLiteRt, Arithmetic::kFloat}) {
    TestNode node("ADD");
    node.Input(&node.Add<int32_t>(Type::kInt32, {3}, {INT32_MAX, -7, 5}));
    node.Input(&node.Add<int32_t>(Type::kInt32, {3}, {-1, 2, 6}));
    Tensor& output = node.Add<int32_t>(Type::kInt32, {3}, {});
    node.Output(&output);
    ASSERT_TRUE(node.Run(arithmetic));
    EXPECT_EQ(Values<int32_t>(output),
              (std::vector<int>{INT32_MAX - 1, -5, 11}));
  }
}

}  // namespace
}  // namespace stowplan::kernels
