// SPDX-License-Identifier: Apache-2.0
//
// The kernels that work in tiles, against loops that do not.
#include <gtest/gtest.h>

#include <cmath>

#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

std::vector<float> Floats(TestRandom& random, int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random.In(-8, 8)) / 4.0f);
  }
  return values;
}

struct Case {
  int64_t height, width, channels, filters, kernel, stride, dilation, groups;
  bool same;
};

Case RandomCase(TestRandom& random) {
  Case c = {};
  c.groups = random.In(1, 3);
  c.height = random.In(5, 9);
  c.width = random.In(5, 9);
  c.channels = c.groups * random.In(1, 5);
  c.filters = c.groups * random.In(1, 40);
  c.kernel = random.In(1, 3);
  c.stride = random.In(1, 2);
  c.dilation = random.In(1, 2);
  c.same = random.In(0, 1) != 0;
  return c;
}

int64_t OutputSize(const Case& c, int64_t size) {
  const int64_t covered = (c.kernel - 1) * c.dilation + 1;
  return c.same ? (size + c.stride - 1) / c.stride
                : (size - covered) / c.stride + 1;
}

int64_t Before(const Case& c, int64_t in, int64_t out) {
  const int64_t covered =
      (out - 1) * c.stride + (c.kernel - 1) * c.dilation + 1;
  return c.same ? std::max<int64_t>(covered - in, 0) / 2 : 0;
}

TEST(ConvolutionTest, EqualsSevenNestedLoops) {
  TestRandom random(2);
  for (int round = 0; round < 60; ++round) {
    const Case c = RandomCase(random);
    const int64_t height = OutputSize(c, c.height);
    const int64_t width = OutputSize(c, c.width);
    const int64_t depth = c.channels / c.groups;
    const auto image = Floats(random, c.height * c.width * c.channels);
    const auto filters =
        Floats(random, c.filters * c.kernel * c.kernel * depth);
    const auto bias = Floats(random, c.filters);
    TestNode node("CONV_2D");
    node.Input(
        &node.Add(Type::kFloat32, {1, c.height, c.width, c.channels}, image));
    node.Input(&node.Add(Type::kFloat32, {c.filters, c.kernel, c.kernel, depth},
                         filters));
    node.Input(&node.Add(Type::kFloat32, {c.filters}, bias));
    Tensor& output =
        node.Add<float>(Type::kFloat32, {1, height, width, c.filters}, {});
    node.Output(&output);
    node.SetText("padding", c.same ? "SAME" : "VALID");
    node.SetInt("stride_h", c.stride);
    node.SetInt("stride_w", c.stride);
    node.SetInt("dilation_h_factor", c.dilation);
    node.SetInt("dilation_w_factor", c.dilation);
    ASSERT_TRUE(node.Run());
    const int64_t top = Before(c, c.height, height);
    const int64_t left = Before(c, c.width, width);
    for (int64_t i = 0; i < output.shape.elements(); ++i) {
      const int64_t f = i % c.filters;
      const int64_t x = i / c.filters % width;
      const int64_t y = i / c.filters / width;
      const int64_t group = f / (c.filters / c.groups);
      float sum = bias[static_cast<size_t>(f)];
      for (int64_t k = 0; k < c.kernel * c.kernel * depth; ++k) {
        const int64_t iy =
            y * c.stride - top + k / depth / c.kernel * c.dilation;
        const int64_t ix =
            x * c.stride - left + k / depth % c.kernel * c.dilation;
        if (iy < 0 || iy >= c.height || ix < 0 || ix >= c.width) continue;
        const int64_t at =
            (iy * c.width + ix) * c.channels + group * depth + k % depth;
        sum +=
            image[static_cast<size_t>(at)] *
            filters[static_cast<size_t>(f * c.kernel * c.kernel * depth + k)];
      }
      // Sums of quarters squared are exact in any order.
      ASSERT_EQ(output.As<float>()[i], sum) << "round " << round;
    }
  }
}

TEST(FullyConnectedTest, IntegerSumsAreExactBeyondOneTile) {
  TestRandom random(3);
  constexpr int64_t kDepth = 700;
  constexpr int64_t kUnits = 70;
  constexpr int64_t kRows = 19;
  std::vector<int8_t> input;
  std::vector<int8_t> weights;
  for (int64_t i = 0; i < kRows * kDepth; ++i) {
    input.push_back(static_cast<int8_t>(random.In(-128, 127)));
  }
  for (int64_t i = 0; i < kUnits * kDepth; ++i) {
    weights.push_back(static_cast<int8_t>(random.In(-127, 127)));
  }
  TestNode node("FULLY_CONNECTED");
  Tensor& in = node.Add(Type::kInt8, {kRows, kDepth}, input);
  Tensor& matrix = node.Add(Type::kInt8, {kUnits, kDepth}, weights);
  Tensor& out = node.Add<int8_t>(Type::kInt8, {kRows, kUnits}, {});
  node.Quantize(in, {0.5f}, {3});
  node.Quantize(matrix, {0.25f}, {0});
  node.Quantize(out, {4096.0f}, {-5});
  node.Input(&in);
  node.Input(&matrix);
  node.Output(&out);
  ASSERT_TRUE(node.Run(Arithmetic::kFloat));
  for (int64_t i = 0; i < kRows * kUnits; ++i) {
    int64_t sum = 0;
    for (int64_t k = 0; k < kDepth; ++k) {
      sum += (input[static_cast<size_t>(i / kUnits * kDepth + k)] - 3) *
             weights[static_cast<size_t>(i % kUnits * kDepth + k)];
    }
    const float scaled = static_cast<float>(sum) / 32768.0f;
    const float expected =
        std::clamp(std::nearbyint(scaled) - 5.0f, -128.0f, 127.0f);
    ASSERT_EQ(out.As<int8_t>()[i], static_cast<int>(expected));
  }
}

TEST(DepthwiseTest, EveryChannelHasItsOwnFilters) {
  TestNode node("DEPTHWISE_CONV_2D");
  node.Input(&node.Add<float>(Type::kFloat32, {1, 1, 2, 2}, {1, 2, 3, 4}));
  node.Input(&node.Add<float>(Type::kFloat32, {1, 1, 2, 4},
                              {1, 10, 100, 1000, 2, 20, 200, 2000}));
  Tensor& output = node.Add<float>(Type::kFloat32, {1, 1, 1, 4}, {});
  node.Output(&output);
  node.SetText("padding", "VALID");
  ASSERT_TRUE(node.Run());
  // Channel 0 feeds outputs 0 and 1, channel 1 outputs 2 and 3.
  EXPECT_EQ(output.As<float>()[0], 1 * 1 + 3 * 2);
  EXPECT_EQ(output.As<float>()[1], 1 * 10 + 3 * 20);
  EXPECT_EQ(output.As<float>()[2], 2 * 100 + 4 * 200);
  EXPECT_EQ(output.As<float>()[3], 2 * 1000 + 4 * 2000);
}

TEST(TransposeConvTest, SpreadsEachPixelOverItsWindow) {
  TestNode node("TRANSPOSE_CONV");
  node.Input(&node.Add<int32_t>(Type::kInt32, {4}, {1, 4, 4, 1}));
  node.Input(&node.Add<float>(Type::kFloat32, {1, 2, 2, 1}, {1, 2, 3, 4}));
  node.Input(
      &node.Add<float>(Type::kFloat32, {1, 2, 2, 1}, {1, 10, 100, 1000}));
  Tensor& output = node.Add<float>(Type::kFloat32, {1, 4, 4, 1}, {});
  node.Output(&output);
  node.SetText("padding", "VALID");
  node.SetInt("stride_h", 2);
  node.SetInt("stride_w", 2);
  ASSERT_TRUE(node.Run());
  const std::vector<float> expected = {
      1, 2, 10, 20, 3, 4, 30, 40, 100, 200, 1000, 2000, 300, 400, 3000, 4000};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(output.As<float>()[i], expected[i]) << i;
  }
}

TEST(ConvolutionTest, RefusesTypesItHasNoCodeFor) {
  TestNode node("CONV_2D");
  node.Input(&node.Add<int64_t>(Type::kInt64, {1, 1, 1, 1}, {1}));
  node.Input(&node.Add<int64_t>(Type::kInt64, {1, 1, 1, 1}, {1}));
  node.Output(&node.Add<int64_t>(Type::kInt64, {1, 1, 1, 1}, {}));
  const Status status = node.Run();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().ToString().find("int64"), std::string::npos);
}

}  // namespace
}  // namespace stowplan::kernels
