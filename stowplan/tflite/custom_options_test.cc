// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/custom_options.h"

#include "flatbuffers/flexbuffers.h"
#include "gtest/gtest.h"

namespace stowplan::tflite {
namespace {

std::vector<uint8_t> Sample() {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", 10);
    builder.Bool("regular", true);
    builder.Double("threshold", 0.5);
    builder.String("label", "cat");
    builder.Vector("nested", [&] { builder.Int(1); });
  });
  builder.Finish();
  return builder.GetBuffer();
}

std::span<const std::byte> BytesOf(const std::vector<uint8_t>& bytes) {
  return std::as_bytes(std::span(bytes));
}

TEST(CustomOptionsTest, ReadsScalarsAndStringsOfAMap) {
  const std::vector<uint8_t> bytes = Sample();
  const std::vector<Option> options = ReadCustomOptions(BytesOf(bytes));
  ASSERT_EQ(options.size(), 4u);
  EXPECT_EQ(options[0].name, "label");
  EXPECT_EQ(std::get<std::string>(options[0].value), "cat");
  EXPECT_EQ(options[1].name, "max_detections");
  EXPECT_EQ(std::get<int64_t>(options[1].value), 10);
  EXPECT_EQ(std::get<bool>(options[2].value), true);
  EXPECT_EQ(std::get<double>(options[3].value), 0.5);
}

TEST(CustomOptionsTest, AnythingElseHasNone) {
  EXPECT_TRUE(ReadCustomOptions({}).empty());
  EXPECT_TRUE(ReadCustomOptions(BytesOf({1, 2, 3, 4})).empty());
  EXPECT_TRUE(ReadCustomOptions(BytesOf(std::vector<uint8_t>(100000))).empty());
}

TEST(CustomOptionsTest, EveryCutAndEveryFlippedBitIsReadSafely) {
  const std::vector<uint8_t> bytes = Sample();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ReadCustomOptions(
        BytesOf({bytes.begin(), bytes.begin() + static_cast<long>(size)}));
  }
  size_t empty = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<uint8_t> flipped = bytes;
    flipped[bit / 8] = static_cast<uint8_t>(flipped[bit / 8] ^ 1 << bit % 8);
    if (ReadCustomOptions(BytesOf(flipped)).empty()) ++empty;
  }
  EXPECT_GT(empty, 0u);
}

}  // namespace
}  // namespace stowplan::tflite
