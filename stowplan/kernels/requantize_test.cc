// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/requantize.h"

#include <gtest/gtest.h>

#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

TEST(RequantizeTest, MultipliersHaveThirtyOneBits) {
  const FixedPoint half = ToFixedPoint(0.5);
  EXPECT_EQ(half.multiplier, 1 << 30);
  EXPECT_EQ(half.shift, 0);
  EXPECT_EQ(ToFixedPoint(0.0).multiplier, 0);
  EXPECT_EQ(ToFixedPoint(1e-12).multiplier, 0);
  EXPECT_EQ(ToFixedPoint(1e12).multiplier, INT32_MAX);
}

TEST(RequantizeTest, ShiftsRoundToTheNearestAndDifferOnlyOnTies) {
  EXPECT_EQ(DivideByPowerOfTwo(3, 1), 2);
  EXPECT_EQ(DivideByPowerOfTwo(-3, 1), -2);
  EXPECT_EQ(DivideByPowerOfTwoTiesUp(3, 1), 2);
  EXPECT_EQ(DivideByPowerOfTwoTiesUp(-3, 1), -1);
  EXPECT_EQ(DivideByPowerOfTwo(-5, 2), -1);
  EXPECT_EQ(DivideByPowerOfTwoTiesUp(-5, 2), -1);
}

TEST(RequantizeTest, TheHighProductSaturates) {
  EXPECT_EQ(HighMultiply(INT32_MIN, INT32_MIN), INT32_MAX);
  EXPECT_EQ(HighMultiply(1 << 30, 1 << 30), 1 << 29);
}

TEST(RequantizeTest, BothArithmeticsStayWithinAStepOfTheExactValue) {
  TestRandom random(1);
  for (int i = 0; i < 100000; ++i) {
    const double factor =
        std::ldexp(1.0 + static_cast<double>(random.In(0, 999)) / 1000.0,
                   static_cast<int>(random.In(-20, -2)));
    const auto sum = static_cast<int32_t>(random.In(-1000000, 1000000));
    const auto zero = static_cast<int32_t>(random.In(-128, 127));
    const double exact =
        std::clamp(sum * factor + zero, double{-128}, double{127});
    for (Arithmetic arithmetic : {Arithmetic::kFloat, Arithmetic::kLiteRt}) {
      for (Ties ties : {Ties::kUp, Ties::kAway}) {
        const Requantizer requantize(arithmetic, factor, zero, -128, 127, ties);
        EXPECT_LE(std::fabs(requantize(sum) - exact), 1.0)
            << sum << " * " << factor << " + " << zero;
      }
    }
  }
}

TEST(RequantizeTest, FloatsRoundTiesToEven) {
  const Requantizer requantize(Arithmetic::kFloat, 0.5, 0, -128, 127);
  EXPECT_EQ(requantize(1), 0);
  EXPECT_EQ(requantize(3), 2);
  EXPECT_EQ(requantize(-1), 0);
}

}  // namespace
}  // namespace stowplan::kernels
