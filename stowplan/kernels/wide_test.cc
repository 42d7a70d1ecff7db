// SPDX-License-Identifier: Apache-2.0
//
// Operators on 16-bit activations.
#include <gtest/gtest.h>

#include <cmath>

#include "stowplan/kernels/reference/sigmoid_table.h"
#include "stowplan/kernels/reference/table16.h"
#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

std::vector<int> Values(const Tensor& tensor) {
  const int16_t* values = tensor.As<int16_t>();
  return {values, values + tensor.shape.elements()};
}

TEST(SigmoidTableTest, HasTheEntriesOfLiteRt) {
  // Read off TANH of ai-edge-litert 2.3.0 with an input scale of 1 / 48.
  const auto& table = reference::SigmoidTable();
  const std::vector<int> first = {32768, 33451, 34133, 34813, 35493, 36169,
                                  36843, 37513, 38180, 38841, 39498, 40149};
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(table[i], first[i]) << i;
  EXPECT_EQ(table[160], 65453);
  EXPECT_EQ(table[246], 65534);
  EXPECT_EQ(table[255], 65535);
}

std::vector<int> Unary(const char* type, float scale, float out_scale,
                       const std::vector<int16_t>& values) {
  TestNode node(type);
  const auto count = static_cast<int64_t>(values.size());
  Tensor& input = node.Add(Type::kInt16, {count}, values);
  Tensor& output = node.Add<int16_t>(Type::kInt16, {count}, {});
  node.Quantize(input, {scale}, {0});
  node.Quantize(output, {out_scale}, {0});
  node.Input(&input);
  node.Output(&output);
  EXPECT_TRUE(node.Run(Arithmetic::kLiteRt));
  return Values(output);
}

// Inputs over all of the range: within `steps` of the function itself.
void ExpectNear(const char* type, float scale, float out_scale, int steps,
                double (*function)(double)) {
  std::vector<int16_t> inputs;
  for (int x = -32768; x <= 32767; x += 37) {
    inputs.push_back(static_cast<int16_t>(x));
  }
  const std::vector<int> outputs = Unary(type, scale, out_scale, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double exact =
        function(inputs[i] * double{scale}) / double{out_scale};
    EXPECT_NEAR(outputs[i], std::clamp(exact, -32768.0, 32767.0), steps)
        << type << " of " << inputs[i] << " * " << scale;
  }
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

TEST(WideUnaryTest, LogisticAndTanhAreNearTheirFunctionsForAllScales) {
  constexpr float kOut = 1.0f / 32768;
  for (float scale : {1.0f / 4096, 1.0f / 2048, 1.0f / 8192, 3e-4f, 1e-3f}) {
    ExpectNear("LOGISTIC", scale, kOut, 8, Sigmoid);
    ExpectNear("TANH", scale, kOut, 14, [](double x) { return std::tanh(x); });
  }
}

TEST(WideUnaryTest, ExpAndGeluLieBetweenTheEntriesOfATable) {
  ExpectNear("EXP", 1e-4f, 1e-3f, 4, [](double x) { return std::exp(x); });
  ExpectNear("GELU", 1e-4f, 1e-4f, 3, Gelu);
}

TEST(WideUnaryTest, AbsOfTheLowestSaturates) {
  EXPECT_EQ(Unary("ABS", 0.5f, 0.5f, {-32768, -7, 0, 9}),
            (std::vector<int>{32767, 7, 0, 9}));
}

TEST(Table16Test, StraightLinesAreExact) {
  const auto table = reference::Table16::Of(
      -1.0, 65535.0 / 65536 * 2 - 1, 32768.0, [](double x) { return x; });
  for (int x = -32768; x <= 32767; x += 91) {
    EXPECT_NEAR(table[static_cast<int16_t>(x)], x, 1) << x;
  }
}

// [[100, -200], [300, 400]] * [[1, 2, 3], [4, 5, 6]], weights by column.
std::vector<int> Product(Arithmetic arithmetic, std::vector<float> scales) {
  TestNode node("BATCH_MATMUL");
  Tensor& a = node.Add<int16_t>(Type::kInt16, {2, 2}, {100, -200, 300, 400});
  Tensor& b = node.Add<int8_t>(Type::kInt8, {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor& output = node.Add<int16_t>(Type::kInt16, {2, 3}, {});
  node.Quantize(a, {1.0f}, {0});
  const size_t count = scales.size();
  node.Quantize(b, std::move(scales), std::vector<int64_t>(count, 0));
  b.quantization.dimension = 1;
  node.Quantize(output, {1.0f}, {0});
  node.Input(&a);
  node.Input(&b);
  node.Output(&output);
  EXPECT_TRUE(node.Run(arithmetic));
  return Values(output);
}

TEST(WideProductTest, MultipliesSixteenByEightBits) {
  const std::vector<int> expected = {-700, -800, -900, 1900, 2600, 3300};
  EXPECT_EQ(Product(Arithmetic::kFloat, {1.0f}), expected);
  EXPECT_EQ(Product(Arithmetic::kLiteRt, {1.0f}), expected);
}

TEST(WideProductTest, ScalesByColumnAreRightUnlikeInLiteRt) {
  const std::vector<float> scales = {1.0f, 0.5f, 2.0f};
  EXPECT_EQ(Product(Arithmetic::kFloat, scales),
            (std::vector<int>{-700, -400, -1800, 1900, 1300, 6600}));
  EXPECT_EQ(Product(Arithmetic::kLiteRt, scales), std::vector<int>(6, 0));
}

TEST(WideProductTest, RefusesScalesByRow) {
  TestNode node("BATCH_MATMUL");
  Tensor& a = node.Add<int16_t>(Type::kInt16, {2, 2}, {1, 2, 3, 4});
  Tensor& b = node.Add<int8_t>(Type::kInt8, {2, 2}, {1, 2, 3, 4});
  Tensor& output = node.Add<int16_t>(Type::kInt16, {2, 2}, {});
  node.Quantize(a, {1.0f}, {0});
  node.Quantize(b, {1.0f, 2.0f}, {0, 0});
  node.Quantize(output, {1.0f}, {0});
  node.Input(&a);
  node.Input(&b);
  node.Output(&output);
  const Status status = node.Run();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().ToString().find("column"), std::string::npos);
}

TEST(WideCompareTest, ValuesCountAndNotStoredNumbers) {
  TestNode node("LESS");
  Tensor& a = node.Add<int16_t>(Type::kInt16, {2}, {10, 30});
  Tensor& b = node.Add<int16_t>(Type::kInt16, {2}, {20, 20});
  Tensor& output = node.Add<uint8_t>(Type::kBool, {2}, {});
  node.Quantize(a, {4.0f}, {0});
  node.Quantize(b, {1.0f}, {0});
  node.Input(&a);
  node.Input(&b);
  node.Output(&output);
  ASSERT_TRUE(node.Run());
  EXPECT_FALSE(output.As<bool>()[0]);
  ASSERT_TRUE(node.Run(Arithmetic::kLiteRt));
  EXPECT_TRUE(output.As<bool>()[0]);
}

}  // namespace
}  // namespace stowplan::kernels
