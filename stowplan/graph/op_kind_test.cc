// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/op_kind.h"

#include "gtest/gtest.h"

namespace stowplan::graph {
namespace {

constexpr auto kLast = static_cast<int>(OpKind::kStablehloCase);

TEST(OpKindTest, NumbersAreThoseOfThePublicFormat) {
  EXPECT_EQ(static_cast<int>(OpKind::kAdd), 0);
  EXPECT_EQ(static_cast<int>(OpKind::kConv2d), 3);
  EXPECT_EQ(static_cast<int>(OpKind::kReshape), 22);
  EXPECT_EQ(static_cast<int>(OpKind::kCustom), 32);
  EXPECT_EQ(static_cast<int>(OpKind::kStridedSlice), 45);
  EXPECT_EQ(static_cast<int>(OpKind::kWhile), 119);
  EXPECT_EQ(static_cast<int>(OpKind::kVarHandle), 142);
  EXPECT_EQ(static_cast<int>(OpKind::kStablehloComposite), 206);
}

TEST(OpKindTest, EveryKindIsFoundByItsName) {
  for (int i = 0; i <= kLast; ++i) {
    const auto kind = static_cast<OpKind>(i);
    EXPECT_EQ(OpKindFromName(TraitsOf(kind).name), kind) << TraitsOf(kind).name;
  }
}

TEST(OpKindTest, OtherNamesHaveNoKind) {
  EXPECT_EQ(OpKindFromName("CONV"), std::nullopt);
  EXPECT_EQ(OpKindFromName(""), std::nullopt);
  EXPECT_EQ(OpKindFromName("add"), std::nullopt);
}

TEST(OpKindTest, OnlySharingOperatorsNameInputsToShare) {
  for (int i = 0; i <= kLast; ++i) {
    const OpTraits& traits = TraitsOf(static_cast<OpKind>(i));
    EXPECT_EQ(traits.sharing == Sharing::kNone, traits.inputs == 0)
        << traits.name;
    if (traits.sharing == Sharing::kView) {
      EXPECT_EQ(traits.inputs, 1) << traits.name;
    }
  }
}

TEST(OpKindTest, PositionsOfInputsAreBits) {
  const OpTraits& add = TraitsOf(OpKind::kAdd);
  EXPECT_TRUE(add.MayShare(0));
  EXPECT_TRUE(add.MayShare(1));
  EXPECT_FALSE(add.MayShare(2));
  EXPECT_FALSE(add.MayShare(100));
  const OpTraits& reshape = TraitsOf(OpKind::kReshape);
  EXPECT_FALSE(reshape.IsShapeOperand(0));
  EXPECT_TRUE(reshape.IsShapeOperand(1));
  EXPECT_FALSE(reshape.IsShapeOperand(64));
}

}  // namespace
}  // namespace stowplan::graph
