// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/model.h"

#include "gtest/gtest.h"

namespace stowplan::graph {
namespace {

TEST(SizeOfTest, IsShapeTimesType) {
  Tensor tensor;
  tensor.shape = {1, 3, 5};
  EXPECT_EQ(SizeOf(tensor), 60);
  tensor.dtype = DType::kInt4;
  EXPECT_EQ(SizeOf(tensor), 8);
  tensor.shape = Shape{};
  EXPECT_EQ(SizeOf(tensor), 1);
  tensor.shape = Shape{4, 0};
  EXPECT_EQ(SizeOf(tensor), 0);
}

TEST(SizeOfTest, IsTheGivenSizeWhereThereIsOne) {
  Tensor tensor;
  tensor.bytes = 7;
  EXPECT_EQ(SizeOf(tensor), 7);
  tensor.shape = {100};
  EXPECT_EQ(SizeOf(tensor), 7);
}

TEST(SizeOfTest, IsNothingWhereTheShapeIsNotKnown) {
  Tensor tensor;
  EXPECT_EQ(SizeOf(tensor), std::nullopt);
  tensor.shape = {kUnknownDim, 4};
  EXPECT_EQ(SizeOf(tensor), std::nullopt);
  tensor.shape = {4};
  tensor.dtype = DType::kString;
  EXPECT_EQ(SizeOf(tensor), std::nullopt);
}

TEST(SizeOfTest, IsNothingWhereItDoesNotFit) {
  Tensor tensor;
  tensor.shape = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(SizeOf(tensor), std::nullopt);
  tensor.shape = {int64_t{1} << 40, int64_t{1} << 40, 0};
  EXPECT_EQ(SizeOf(tensor), std::nullopt);
}

TEST(PlaceOfTest, NamesIdAndName) {
  Subgraph subgraph;
  subgraph.tensors.resize(2);
  subgraph.tensors[1].name = "conv1";
  EXPECT_EQ(PlaceOf(subgraph, TensorId(0)), "tensor 0");
  EXPECT_EQ(PlaceOf(subgraph, TensorId(1)), "tensor 1 (conv1)");
}

}  // namespace
}  // namespace stowplan::graph
