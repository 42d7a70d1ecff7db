// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/npy.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stowplan::cli {
namespace {

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(NpyTest, ReadsWhatItWrote) {
  const std::array<float, 6> values = {0, 1, 2, 3, 4, 5};
  const std::vector<std::vector<int64_t>> shapes = {{6}, {2, 3}, {1, 6, 1}};
  for (const std::vector<int64_t>& shape : shapes) {
    const auto file =
        WriteNpy(DType::kFloat32, shape, std::as_bytes(std::span(values)));
    ASSERT_TRUE(file);
    EXPECT_EQ((file->size() - sizeof(values)) % 64, 0u);
    const auto array = ReadNpy(BytesOf(*file));
    ASSERT_TRUE(array) << array.error().ToString();
    EXPECT_EQ(array->dtype, DType::kFloat32);
    EXPECT_EQ(array->shape, shape);
    EXPECT_TRUE(std::equal(array->data.begin(), array->data.end(),
                           std::as_bytes(std::span(values)).begin()));
  }
}

TEST(NpyTest, KnowsScalars) {
  const int8_t value = 3;
  const auto file =
      WriteNpy(DType::kInt8, {}, std::as_bytes(std::span(&value, 1)));
  ASSERT_TRUE(file);
  const auto array = ReadNpy(BytesOf(*file));
  ASSERT_TRUE(array);
  EXPECT_TRUE(array->shape.empty());
  EXPECT_EQ(array->data.size(), 1u);
}

TEST(NpyTest, RefusesATypeThatNumPyHasNot) {
  EXPECT_FALSE(WriteNpy(DType::kInt4, {}, {}));
}

TEST(NpyTest, RefusesEveryShorterFile) {
  const std::array<float, 6> values = {};
  const std::array<int64_t, 1> shape = {6};
  const std::string file =
      WriteNpy(DType::kFloat32, shape, std::as_bytes(std::span(values)))
          .value();
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadNpy(BytesOf(file.substr(0, size)))) << size;
  }
  EXPECT_FALSE(ReadNpy(BytesOf(file + "x")));
}

TEST(NpyTest, RefusesOtherOrdersAndTypes) {
  const std::string file = WriteNpy(DType::kInt32, {}, {}).value();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = file;
    other.replace(other.find(from), from.size(), to);
    return ReadNpy(BytesOf(other + std::string(4, '\0')));
  };
  EXPECT_TRUE(with("<i4", "<i4"));
  EXPECT_FALSE(with("<i4", ">i4"));
  EXPECT_FALSE(with("False", "True "));
  EXPECT_FALSE(with("()", "x)"));
  EXPECT_FALSE(with("(),", "(9)"));
}

}  // namespace
}  // namespace stowplan::cli
