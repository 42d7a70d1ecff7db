// SPDX-License-Identifier: Apache-2.0
#include "stowplan/base/error.h"

#include "gtest/gtest.h"

namespace stowplan {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return BadInput("value 3", "is odd", "pass an even one");
  return value / 2;
}

Result<int> Quarter(int value) {
  STOWPLAN_TRY(half, Half(value));
  STOWPLAN_RETURN_IF_ERROR(Half(half));
  return half / 2;
}

TEST(ErrorTest, PrintsPlaceFaultAndRemedyOnOneLine) {
  EXPECT_EQ(Half(3).error().ToString(), "value 3: is odd; pass an even one");
  EXPECT_EQ((Error{ErrorKind::kIo, "", "gone", ""}).ToString(), "gone");
}

TEST(ErrorTest, TryHandsOnValuesAndErrors) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(7).error().what, "is odd");
  EXPECT_EQ(Quarter(6).error().kind, ErrorKind::kBadInput);
}

}  // namespace
}  // namespace stowplan
