// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_kernels.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/engines/tflm_sizes.h"
#include "stowplan/engines/tflm_structs.h"
#include "stowplan/engines/tflm_test_graphs.h"

namespace stowplan::engines {
namespace {

using graph::TensorId;
using Kind = KernelRequest::Kind;

TflmOptions Wheel() { return {8, TflmBuild::kWheel, {}}; }
TflmOptions Device() { return {4, TflmBuild::kPlain, {}}; }

// The requests of the last operator.
KernelRequests RequestsOf(GraphBuilder& b, const TflmOptions& options) {
  const graph::Operator& op = b.last().operators.back();
  const TflmKernel* kernel = FindTflmKernel(op.type);
  EXPECT_NE(kernel, nullptr) << op.type;
  if (kernel == nullptr) return {};
  auto requests = RequestsOf(*kernel, b.last(), op, options);
  EXPECT_TRUE(requests.has_value());
  return *std::move(requests);
}

std::vector<Bytes> BytesOf(const KernelRequests& requests, Kind kind) {
  std::vector<Bytes> bytes;
  for (const KernelRequest& request : requests.prepare) {
    if (request.kind == kind) bytes.push_back(request.bytes);
  }
  return bytes;
}

std::vector<int32_t> TemporariesOf(const KernelRequests& requests) {
  std::vector<int32_t> tensors;
  for (const KernelRequest& request : requests.prepare) {
    if (request.kind == Kind::kTemporary) {
      tensors.push_back(request.tensor.value());
    }
  }
  return tensors;
}

TEST(TflmKernelsTest, EveryRowCanBeUnderstoodAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (const TflmKernel& row : TflmKernels()) {
    EXPECT_TRUE(IsTflmProgram(row.prepare)) << row.name << ": " << row.prepare;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(FindTflmKernel(row.name), &row);
  }
  EXPECT_FALSE(IsTflmProgram("i0 nothing"));
  EXPECT_FALSE(IsTflmProgram("i"));
}

TEST(TflmKernelsTest, SmallerPointersNeverMakeAKernelKeepMore) {
  for (const TflmKernel& row : TflmKernels()) {
    EXPECT_LE(row.op_data.Of(Device()), row.op_data.Of(Wheel())) << row.name;
    EXPECT_LE(row.op_data.Of({8, TflmBuild::kPlain, {}}),
              row.op_data.Of(Wheel()))
        << row.name;
  }
}

TEST(TflmKernelsTest, ANameThatIsNotThereHasNoKernel) {
  EXPECT_EQ(FindTflmKernel("TOPK_V2"), nullptr);
  EXPECT_EQ(FindTflmKernel(""), nullptr);
}

// A convolution with that filter; the ids are 0 to 3.
GraphBuilder Convolution(const char* type, graph::Shape filter, DType weights) {
  GraphBuilder b;
  const TensorId in = b.Tensor({1, 8, 8, 3}, DType::kInt8);
  const TensorId w = b.Constant(std::move(filter), weights);
  const TensorId bias = b.Constant({8}, DType::kInt32);
  const TensorId out = b.Tensor({1, 8, 8, 8}, DType::kInt8);
  b.Operator(type, {in, w, bias}, {out});
  return b;
}

TEST(TflmKernelsTest, AConvolutionKeepsTwoWordsAFilter) {
  GraphBuilder b = Convolution("CONV_2D", {8, 3, 3, 3}, DType::kInt8);
  const KernelRequests requests = RequestsOf(b, Wheel());
  EXPECT_EQ(requests.init, std::vector<Bytes>{80});
  EXPECT_EQ(BytesOf(requests, Kind::kPersistent), (std::vector<Bytes>{32, 32}));
  EXPECT_EQ(BytesOf(requests, Kind::kScratch), std::vector<Bytes>{});
  EXPECT_EQ(TemporariesOf(requests),
            (std::vector<int32_t>{3, 0, 1, 0, 1, 2, 3}));
  EXPECT_EQ(RequestsOf(b, Device()).init, std::vector<Bytes>{56});
}

TEST(TflmKernelsTest, ADepthwiseFilterCountsItsLastDimension) {
  GraphBuilder b =
      Convolution("DEPTHWISE_CONV_2D", {1, 3, 3, 24}, DType::kInt8);
  EXPECT_EQ(BytesOf(RequestsOf(b, Wheel()), Kind::kPersistent),
            (std::vector<Bytes>{96, 96}));
}

TEST(TflmKernelsTest, WeightsOfFourBitsAreUnpackedInScratch) {
  GraphBuilder b = Convolution("CONV_2D", {8, 3, 3, 3}, DType::kInt4);
  EXPECT_EQ(BytesOf(RequestsOf(b, Wheel()), Kind::kScratch),
            std::vector<Bytes>{216});
}

TEST(TflmKernelsTest, OperandsLeftOutHaveNoTemporaries) {
  GraphBuilder b;
  const TensorId in = b.Tensor({2, 10}), w = b.Constant({8, 10}),
                 out = b.Tensor({2, 8});
  b.Operator("FULLY_CONNECTED", {in, w, TensorId()}, {out});
  const KernelRequests requests = RequestsOf(b, Wheel());
  EXPECT_EQ(TemporariesOf(requests), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(BytesOf(requests, Kind::kPersistent), std::vector<Bytes>{});
}

TEST(TflmKernelsTest, FullyConnectedKeepsRowsIfQuantisedByRow) {
  GraphBuilder b;
  const TensorId in = b.Quantize(b.Tensor({2, 10}, DType::kInt8));
  const TensorId w = b.Quantize(b.Constant({8, 10}, DType::kInt8), 8);
  const TensorId out = b.Quantize(b.Tensor({2, 8}, DType::kInt8));
  b.Operator("FULLY_CONNECTED", {in, w}, {out});
  EXPECT_EQ(BytesOf(RequestsOf(b, Wheel()), Kind::kPersistent),
            (std::vector<Bytes>{32, 32}));
}

TEST(TflmKernelsTest, AMeanOfIntegersSumsInScratch) {
  GraphBuilder b;
  const TensorId in = b.Tensor({1, 8, 8, 24}, DType::kInt8);
  const TensorId axes = b.Constant({2}, DType::kInt32);
  const TensorId out = b.Tensor({1, 24}, DType::kInt8);
  b.Operator("MEAN", {in, axes}, {out});
  const KernelRequests requests = RequestsOf(b, Wheel());
  EXPECT_EQ(BytesOf(requests, Kind::kScratch), (std::vector<Bytes>{96, 16, 8}));
  EXPECT_EQ(TemporariesOf(requests), (std::vector<int32_t>{0, 2, 1, 0, 1, 2}));
}

TEST(TflmKernelsTest, ConditionsLookAtTheOutput) {
  GraphBuilder b;
  const TensorId shape = b.Constant({4}, DType::kInt32);
  const TensorId w = b.Constant({8, 2, 2, 3}), in = b.Tensor({1, 4, 4, 3}),
                 out = b.Tensor({1, 8, 8, 8});
  b.Operator("TRANSPOSE_CONV", {shape, w, in}, {out});
  EXPECT_EQ(TemporariesOf(RequestsOf(b, Wheel())),
            (std::vector<int32_t>{3, 2, 1}));
  for (TensorId id : {w, in, out}) b.last().tensor(id).dtype = DType::kInt8;
  const KernelRequests quantized = RequestsOf(b, Wheel());
  EXPECT_EQ(TemporariesOf(quantized), (std::vector<int32_t>{3, 2, 1, 2, 1, 3}));
  EXPECT_EQ(BytesOf(quantized, Kind::kScratch), std::vector<Bytes>{2048});
}

TEST(TflmKernelsTest, PointersInScratchAreAsLargeAsPointers) {
  GraphBuilder b;
  std::vector<TensorId> inputs;
  for (int i = 0; i < 5; ++i) inputs.push_back(b.Tensor({4}));
  b.Operator("ADD_N", inputs, {b.Tensor({4})});
  EXPECT_EQ(BytesOf(RequestsOf(b, Wheel()), Kind::kScratch),
            std::vector<Bytes>{40});
  EXPECT_EQ(BytesOf(RequestsOf(b, Device()), Kind::kScratch),
            std::vector<Bytes>{20});
}

TEST(TflmKernelsTest, SizesThatDoNotFitAreRefused) {
  GraphBuilder b;
  const TensorId in = b.Tensor({int64_t{1} << 40, 1 << 20}),
                 w = b.Constant({int64_t{1} << 40, 8});
  b.Operator("CONV_2D", {in, w}, {b.Tensor({1})});
  const graph::Operator& op = b.last().operators[0];
  EXPECT_FALSE(
      RequestsOf(*FindTflmKernel(op.type), b.last(), op, Wheel()).has_value());
}

TEST(TflmSizesTest, AReshapeFillsInOneDimension) {
  GraphBuilder b;
  const TensorId in = b.Tensor({4, 6}), middle = b.Tensor({-1, 8}),
                 out = b.Tensor({2, -1});
  b.Operator("RESHAPE", {in}, {middle});
  b.Operator("RESHAPE", {middle}, {out});
  const auto bytes = TflmBytesOf(b.last());
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(*bytes, (std::vector<Bytes>{96, 96, 96}));
}

TEST(TflmSizesTest, OddTypesAreCountedAsTflmDoes) {
  GraphBuilder b;
  b.Tensor({3}, DType::kInt4);
  b.Tensor({}, DType::kResource);
  b.last().tensor(b.Tensor({2}, DType::kInt64)).shape.reset();
  b.Constant({100});
  const auto bytes = TflmBytesOf(b.last());
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(*bytes, (std::vector<Bytes>{3, 4, 8, 0}));
}

TEST(TflmSizesTest, WhatHasNoSizeIsNamed) {
  for (DType dtype : {DType::kString, DType::kVariant}) {
    GraphBuilder b;
    b.Tensor({1}, dtype);
    EXPECT_FALSE(TflmBytesOf(b.last()).has_value());
  }
  GraphBuilder b;
  b.last().tensor(b.Tensor({-1, 4})).name = "grows";
  const auto bytes = TflmBytesOf(b.last());
  ASSERT_FALSE(bytes.has_value());
  EXPECT_NE(bytes.error().where.find("grows"), std::string::npos);
}

}  // namespace
}  // namespace stowplan::engines
