// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/constant_value.h"

#include <limits>

#include "gtest/gtest.h"

namespace stowplan::graph {
namespace {

using Numbers = std::vector<int64_t>;

// What is left of `values` after a way through the bytes of `dtype`.
std::optional<Numbers> ThroughBytes(DType dtype, const Numbers& values) {
  const auto bytes = BytesOfIntegers(dtype, values);
  if (!bytes) return std::nullopt;
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.constant = true;
  tensor.shape = {static_cast<int64_t>(values.size())};
  tensor.data = *bytes;
  return IntegersOf(tensor);
}

TEST(ConstantValueTest, EveryTypeKeepsItsWholeRange) {
  const auto expect_kept = [](DType dtype, const Numbers& values) {
    EXPECT_EQ(ThroughBytes(dtype, values), values) << NameOf(dtype);
  };
  expect_kept(DType::kBool, {0, 1});
  expect_kept(DType::kInt8, {-128, -1, 0, 127});
  expect_kept(DType::kUInt8, {0, 255});
  expect_kept(DType::kInt16, {-32768, 32767});
  expect_kept(DType::kUInt16, {0, 65535});
  expect_kept(DType::kInt32, {-2147483648, 2147483647});
  expect_kept(DType::kUInt32, {0, 4294967295});
  constexpr auto kMax = std::numeric_limits<int64_t>::max();
  expect_kept(DType::kInt64, {-kMax - 1, kMax});
  expect_kept(DType::kUInt64, {0, kMax});
}

TEST(ConstantValueTest, NumbersOutsideTheTypeAreRefused) {
  EXPECT_EQ(ThroughBytes(DType::kBool, {2}), std::nullopt);
  EXPECT_EQ(ThroughBytes(DType::kInt8, {128}), std::nullopt);
  EXPECT_EQ(ThroughBytes(DType::kInt8, {-129}), std::nullopt);
  EXPECT_EQ(ThroughBytes(DType::kUInt8, {-1}), std::nullopt);
  EXPECT_EQ(ThroughBytes(DType::kUInt32, {4294967296}), std::nullopt);
  EXPECT_EQ(ThroughBytes(DType::kUInt64, {-1}), std::nullopt);
  EXPECT_EQ(ThroughBytes(DType::kFloat32, {1}), std::nullopt);
}

TEST(ConstantValueTest, OnlyConstantsOfTheRightSizeHaveAValue) {
  const std::vector<std::byte> bytes(8);
  Tensor tensor;
  tensor.dtype = DType::kInt32;
  tensor.shape = {2};
  tensor.data = bytes;
  EXPECT_EQ(IntegersOf(tensor), std::nullopt);
  tensor.constant = true;
  EXPECT_EQ(IntegersOf(tensor), (Numbers{0, 0}));
  tensor.shape = {3};
  EXPECT_EQ(IntegersOf(tensor), std::nullopt);
  tensor.shape = std::nullopt;
  EXPECT_EQ(IntegersOf(tensor), std::nullopt);
  tensor.shape = {2};
  tensor.sparse = true;
  EXPECT_EQ(IntegersOf(tensor), std::nullopt);
}

TEST(ConstantValueTest, LargeTensorsHaveNone) {
  const std::vector<std::byte> bytes(kMaxValueElements + 1);
  Tensor tensor;
  tensor.dtype = DType::kInt8;
  tensor.constant = true;
  tensor.shape = {kMaxValueElements + 1};
  tensor.data = bytes;
  EXPECT_EQ(IntegersOf(tensor), std::nullopt);
}

}  // namespace
}  // namespace stowplan::graph
