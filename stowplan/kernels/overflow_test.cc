// SPDX-License-Identifier: Apache-2.0
//
// Values that leave the range of integers on their way: the results saturate,
// or wrap around where LiteRT's do, and no cast is undefined.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stowplan/kernels/reference/hybrid.h"
#include "stowplan/kernels/requantize.h"
#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(OverflowTest, LargeSumsSaturateOnTheirWayToTheOutput) {
  for (const auto arithmetic : {Arithmetic::kFloat, Arithmetic::kLiteRt}) {
    const Requantizer one(arithmetic, 0.999999, 100, -128, 127);
    EXPECT_EQ(one(INT32_MAX), 127);
    EXPECT_EQ(one(INT32_MIN), -128);
    const Requantizer wide(arithmetic, 0.5, 0, -32768, 32767);
    EXPECT_EQ(wide.FromWide(INT64_MAX, WideScaling::kReal), 32767);
    EXPECT_EQ(wide.FromWide(INT64_MIN, WideScaling::kReal), -32768);
  }
  // Products of more than 64 bits wrap around: (2^63 - 1) * 2^14 to -2^14.
  const FixedPoint half = ToFixedPoint(0.5);
  EXPECT_EQ(Multiply64(INT64_MAX, half), 0);
  EXPECT_EQ(Multiply64(1 << 20, half), 1 << 19);
}

TEST(OverflowTest, AFactorThatIsNoNumberGivesTheLowestValue) {
  const Requantizer none(Arithmetic::kFloat, double{kNan}, 0, -128, 127);
  EXPECT_EQ(none(5), -128);
  EXPECT_EQ(none.FromWide(5), -128);
}

TEST(OverflowTest, RowsWithInfinitiesAreQuantisedWithinTheirRange) {
  const float rows[][3] = {{kInfinity, 1, 2},  {-kInfinity, 1, 2},
                           {kNan, 1, 2},       {1, kNan, kInfinity},
                           {1e38f, -3e38f, 0}, {1e-45f, 0, 0}};
  for (const auto& row : rows) {
    for (const auto& scale : {reference::SymmetricScale(row, 3),
                              reference::AsymmetricScale(row, 3)}) {
      EXPECT_GE(scale.offset, -128);
      EXPECT_LE(scale.offset, 127);
      for (const float value : row) {
        const int32_t stored = scale.Quantize(value) + scale.offset;
        EXPECT_GE(stored, scale.low);
        EXPECT_LE(stored, 127);
      }
    }
  }
}

template <class T>
std::vector<T> Values(const Tensor& tensor) {
  return {tensor.As<T>(), tensor.As<T>() + tensor.shape.elements()};
}

TEST(OverflowTest, QuantizeToThirtyTwoBitsSaturates) {
  TestNode node("QUANTIZE");
  Tensor& out = node.Add<int32_t>(Type::kInt32, {6}, {});
  node.Quantize(out, {1.0f}, {7});
  node.Input(&node.Add<float>(
      Type::kFloat32, {6}, {0x1p31f, -0x1p31f, 3e38f, -kInfinity, kNan, 16}));
  node.Output(&out);
  ASSERT_TRUE(node.Run());
  EXPECT_EQ(Values<int32_t>(out),
            (std::vector<int32_t>{INT32_MAX, INT32_MIN + 7, INT32_MAX,
                                  INT32_MIN, 7, 23}));
}

TEST(OverflowTest, SumsAndProductsOfIntegersWrapAround) {
  const auto run = [](const char* type, std::vector<int32_t> second,
                      std::vector<int64_t> shape) {
    TestNode node(type);
    node.Input(&node.Add<int32_t>(Type::kInt32, {2}, {INT32_MAX, 2}));
    const auto count = static_cast<int64_t>(second.size());
    node.Input(&node.Add<int32_t>(Type::kInt32, {count}, second));
    if (count == 2) node.Input(&node.Add<int32_t>(Type::kInt32, {}, {1}));
    Tensor& out = node.Add<int32_t>(Type::kInt32, std::move(shape), {});
    node.Output(&out);
    EXPECT_TRUE(node.Run()) << type;
    return Values<int32_t>(out);
  };
  EXPECT_EQ(run("CUMSUM", {0}, {2}),
            (std::vector<int32_t>{INT32_MAX, INT32_MIN + 1}));
  EXPECT_EQ(run("REDUCE_PROD", {0}, {1}), std::vector<int32_t>{-2});
  EXPECT_EQ(run("UNSORTED_SEGMENT_PROD", {0, 0}, {1}),
            std::vector<int32_t>{-2});
  EXPECT_EQ(run("UNSORTED_SEGMENT_SUM", {0, 0}, {1}),
            std::vector<int32_t>{INT32_MIN + 1});
}

// RANGE over [start, limit) into an output of `size`.
template <class T>
bool Counts(Type type, T start, T limit, T step, int64_t size) {
  TestNode node("RANGE");
  for (const T value : {start, limit, step}) {
    node.Input(&node.Add<T>(type, {}, {value}));
  }
  node.Output(&node.Add<T>(type, {size}, {}));
  return static_cast<bool>(node.Run());
}

TEST(OverflowTest, RangesThatDoNotFitAreRefused) {
  constexpr Type kLong = Type::kInt64;
  EXPECT_TRUE(Counts<int64_t>(kLong, 0, 5, 2, 3));
  EXPECT_FALSE(Counts<int64_t>(kLong, 0, 5, 2, 2));
  EXPECT_FALSE(Counts<int64_t>(kLong, 0, 5, 0, 1));
  EXPECT_FALSE(Counts<int64_t>(kLong, INT64_MIN, INT64_MAX, 1, 3));
  EXPECT_TRUE(Counts<int64_t>(kLong, INT64_MIN, INT64_MAX, INT64_MAX, 3));
  EXPECT_TRUE(Counts<int64_t>(kLong, INT64_MAX, INT64_MIN, INT64_MIN, 2));
  EXPECT_TRUE(Counts<float>(Type::kFloat32, 0, 1, 0.25f, 4));
  EXPECT_FALSE(Counts<float>(Type::kFloat32, 0, kInfinity, 1, 4));
  EXPECT_FALSE(Counts<float>(Type::kFloat32, 0, 1, kNan, 4));
}

}  // namespace
}  // namespace stowplan::kernels
