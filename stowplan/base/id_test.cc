// SPDX-License-Identifier: Apache-2.0
#include "stowplan/base/id.h"

#include <type_traits>

#include "gtest/gtest.h"

namespace stowplan {
namespace {

using CatId = Id<struct Cat>;
using DogId = Id<struct Dog>;

static_assert(!std::is_convertible_v<CatId, DogId>);
static_assert(!std::is_convertible_v<int, CatId>);

TEST(IdTest, DefaultNamesNothing) {
  EXPECT_FALSE(CatId().valid());
  EXPECT_EQ(CatId().value(), -1);
}

TEST(IdTest, ComparesByIndex) {
  EXPECT_LT(CatId(1), CatId(2));
  EXPECT_EQ(CatId::FromIndex(3).index(), 3u);
}

}  // namespace
}  // namespace stowplan
