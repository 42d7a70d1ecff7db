// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/place.h"

#include <cstddef>

#include "gtest/gtest.h"

namespace stowplan::tflite {
namespace {

TEST(PlaceTest, NamesThatCannotBePrintedAreEscapedAndCut) {
  EXPECT_EQ(Printable("conv1/weights"), "conv1/weights");
  EXPECT_EQ(Printable(std::string_view("a\0\n\xff", 4)), "a\\x00\\x0a\\xff");
  const std::string cut = Printable(std::string(5000, 'x'));
  EXPECT_EQ(cut, std::string(96, 'x') + "...");
}

TEST(PlaceTest, APlaceNamesItsIndexItsNameAndItsByte) {
  const std::byte file[16] = {};
  EXPECT_EQ(PlaceOf("tensor", 3, "x", file, file + 12),
            "tensor 3 (x) at byte 12");
  EXPECT_EQ(PlaceOf("buffer", 0, "", file, file), "buffer 0 at byte 0");
}

}  // namespace
}  // namespace stowplan::tflite
