// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/element_type.h"

#include <limits>

#include "gtest/gtest.h"

namespace stowplan::tflite {
namespace {

using schema::TensorType;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(ElementTypeTest, EveryTypeOfTheSchemaHasASizeOrNone) {
  for (TensorType type : schema::EnumValuesTensorType()) {
    EXPECT_TRUE(IsKnown(type));
    const bool sized = type != TensorType::STRING &&
                       type != TensorType::RESOURCE &&
                       type != TensorType::VARIANT;
    EXPECT_EQ(BitsOf(type) > 0, sized) << schema::EnumNameTensorType(type);
  }
  EXPECT_FALSE(IsKnown(static_cast<TensorType>(-1)));
  EXPECT_FALSE(IsKnown(static_cast<TensorType>(23)));
}

TEST(ElementTypeTest, ElementsBelowAByteArePacked) {
  EXPECT_EQ(PackedBytes(TensorType::INT4, 4), 2);
  EXPECT_EQ(PackedBytes(TensorType::INT4, 5), 3);
  EXPECT_EQ(PackedBytes(TensorType::UINT4, 1), 1);
  EXPECT_EQ(PackedBytes(TensorType::INT2, 8), 2);
  EXPECT_EQ(PackedBytes(TensorType::INT2, 9), 3);
  EXPECT_EQ(PackedBytes(TensorType::INT2, 0), 0);
}

TEST(ElementTypeTest, SizesThatDoNotFitAreNone) {
  EXPECT_EQ(PackedBytes(TensorType::FLOAT32, kMost / 4), kMost / 4 * 4);
  EXPECT_EQ(PackedBytes(TensorType::FLOAT32, kMost / 4 + 1), std::nullopt);
  EXPECT_EQ(PackedBytes(TensorType::INT4, kMost), kMost / 2 + 1);
}

}  // namespace
}  // namespace stowplan::tflite
