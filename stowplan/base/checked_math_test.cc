// SPDX-License-Identifier: Apache-2.0
#include "stowplan/base/checked_math.h"

#include <array>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace stowplan {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(CheckedMathTest, AddsUpToTheLastRepresentableSum) {
  EXPECT_EQ(CheckedAdd(kMax - 1, 1), kMax);
  EXPECT_EQ(CheckedAdd(kMax, 1), std::nullopt);
  EXPECT_EQ(CheckedAdd(kMin, -1), std::nullopt);
}

TEST(CheckedMathTest, MultipliesUpToTheLastRepresentableProduct) {
  EXPECT_EQ(CheckedMul(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
  EXPECT_EQ(CheckedMul(int64_t{1} << 32, int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(CheckedMul(kMin, -1), std::nullopt);
}

TEST(CheckedMathTest, ProductOfNothingIsOneElement) {
  EXPECT_EQ(CheckedProduct({}), 1);
}

TEST(CheckedMathTest, ZeroDoesNotHideAnOverflowOfTheOthers) {
  constexpr std::array<int64_t, 3> kShape = {0, kMax, 2};
  EXPECT_EQ(CheckedProduct(kShape), std::nullopt);
  constexpr std::array<int64_t, 2> kEmpty = {0, 7};
  EXPECT_EQ(CheckedProduct(kEmpty), 0);
}

TEST(CheckedMathTest, RefusesNegativeDimensions) {
  constexpr std::array<int64_t, 2> kShape = {-1, 7};
  EXPECT_EQ(CheckedProduct(kShape), std::nullopt);
}

TEST(CheckedMathTest, AlignsUp) {
  EXPECT_EQ(AlignUp(0, 64), 0);
  EXPECT_EQ(AlignUp(1, 64), 64);
  EXPECT_EQ(AlignUp(64, 64), 64);
  EXPECT_EQ(CheckedAlignUp(kMax, 64), std::nullopt);
  EXPECT_EQ(CheckedAlignUp(1, 48), std::nullopt);
  EXPECT_EQ(CheckedAlignUp(-1, 64), std::nullopt);
}

TEST(CheckedMathTest, NarrowsOnlyWhatFits) {
  EXPECT_EQ(Narrow<int32_t>(int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(Narrow<int32_t>(int64_t{-5}), -5);
  EXPECT_EQ(Narrow<uint32_t>(int64_t{-1}), std::nullopt);
  EXPECT_EQ(Narrow<int64_t>(~uint64_t{0}), std::nullopt);
}

}  // namespace
}  // namespace stowplan
