// SPDX-License-Identifier: Apache-2.0
#include "stowplan/base/dtype.h"

#include <limits>

#include "gtest/gtest.h"

namespace stowplan {
namespace {

constexpr int kTypes = static_cast<int>(DType::kFloat8E5M2) + 1;

TEST(DTypeTest, EveryTypeIsFoundByItsName) {
  for (int i = 0; i < kTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(DTypeFromName(NameOf(dtype)), dtype) << NameOf(dtype);
  }
}

TEST(DTypeTest, ShortNamesAreAccepted) {
  EXPECT_EQ(DTypeFromName("f32"), DType::kFloat32);
  EXPECT_EQ(DTypeFromName("i8"), DType::kInt8);
  EXPECT_EQ(DTypeFromName("u8"), DType::kUInt8);
  EXPECT_EQ(DTypeFromName("int"), std::nullopt);
  EXPECT_EQ(DTypeFromName(""), std::nullopt);
}

TEST(DTypeTest, WholeBytesMultiply) {
  EXPECT_EQ(BytesOf(DType::kFloat32, 3), 12);
  EXPECT_EQ(BytesOf(DType::kInt16, 0), 0);
  EXPECT_EQ(BytesOf(DType::kComplex128, 2), 32);
}

TEST(DTypeTest, PackedElementsShareBytesAndFillTheLastInPart) {
  EXPECT_EQ(BytesOf(DType::kInt4, 0), 0);
  EXPECT_EQ(BytesOf(DType::kInt4, 1), 1);
  EXPECT_EQ(BytesOf(DType::kInt4, 5), 3);
  EXPECT_EQ(BytesOf(DType::kInt2, 4), 1);
  EXPECT_EQ(BytesOf(DType::kInt2, 5), 2);
}

TEST(DTypeTest, TypesWithoutAFixedSizeHaveNone) {
  EXPECT_EQ(BytesOf(DType::kString, 1), std::nullopt);
  EXPECT_EQ(BytesOf(DType::kResource, 1), std::nullopt);
  EXPECT_EQ(BytesOf(DType::kVariant, 1), std::nullopt);
}

TEST(DTypeTest, WhatDoesNotFitHasNoSize) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(BytesOf(DType::kFloat32, kMax / 4 + 1), std::nullopt);
  EXPECT_EQ(BytesOf(DType::kFloat32, -1), std::nullopt);
  EXPECT_EQ(BytesOf(DType::kInt4, kMax), kMax / 2 + 1);
}

}  // namespace
}  // namespace stowplan
