// SPDX-License-Identifier: Apache-2.0
//
// The example operators: in small against their definitions, and in the public
// models that need them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "examples/median_filter.h"
#include "examples/segmentation_operators.h"
#include "stowplan/runtime/audit.h"
#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

using runtime::Interpreter;
using runtime::InterpreterOptions;
using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;
using Floats = std::vector<float>;

InterpreterOptions WithOperators() {
  InterpreterOptions options;
  options.planner = PlanWithSolver;
  EXPECT_TRUE(examples::AddMedianFilter(&options.registry));
  EXPECT_TRUE(examples::AddSegmentationOperators(&options.registry));
  return options;
}

int32_t AddFloat(ModelBuilder& builder, const char* name,
                 std::vector<int32_t> shape, Floats values = {}) {
  return builder.AddTensor(
      {name, ElementType::FLOAT32, std::move(shape), {}, BytesOf(values)});
}

// The outputs for one input.
std::vector<Floats> RunOn(const ModelFile& model, const Floats& input,
                          Bytes* arena = nullptr) {
  auto interpreter =
      Interpreter::Create(model.graph, WithOperators(), model.facts);
  EXPECT_TRUE(interpreter);
  const Status status = (*interpreter)->AllocateTensors();
  EXPECT_TRUE(status) << status.error().ToString();
  const auto bytes = std::as_bytes(std::span(input));
  auto view = (*interpreter)->input(0).value();
  EXPECT_EQ(view.data.size(), bytes.size());
  std::copy(bytes.begin(), bytes.end(), view.data.begin());
  EXPECT_TRUE((*interpreter)->Invoke());
  if (arena != nullptr) *arena = (*interpreter)->memory().arena;
  std::vector<Floats> outputs;
  for (size_t i = 0; i < (*interpreter)->outputs(); ++i) {
    const auto data = (*interpreter)->output(i).value().data;
    const auto* begin = reinterpret_cast<const float*>(data.data());
    outputs.emplace_back(begin, begin + data.size() / sizeof(float));
  }
  return outputs;
}

Floats Random(size_t count) {
  Floats values(count);
  EXPECT_TRUE(runtime::FillRandom(7, 0, DType::kFloat32,
                                  std::as_writable_bytes(std::span(values))));
  return values;
}

// x --NEG--> a --MedianFilter--> b --ABS--> y; with `keep` a is an output, so
// that nobody may write over it.
ModelPointer Median(bool keep) {
  ModelBuilder builder;
  const int32_t x = AddFloat(builder, "x", {8, 32});
  const int32_t a = AddFloat(builder, "a", {8, 32});
  const int32_t b = AddFloat(builder, "b", {8, 32});
  const int32_t y = AddFloat(builder, "y", {8, 32});
  builder.AddOperator("NEG", {x}, {a});
  builder.AddCustomOperator("MedianFilter", {a}, {b});
  builder.AddOperator("ABS", {b}, {y});
  builder.SetBoundary(
      {x}, keep ? std::vector<int32_t>{y, a} : std::vector<int32_t>{y});
  return ModelOf(builder.Build());
}

TEST(CustomOperatorTest, RunsInPlaceWithScratchWhereItMay) {
  const Floats input = Random(256);
  Bytes in_place = 0;
  Bytes apart = 0;
  const Floats over = RunOn(*Median(false), input, &in_place)[0];
  const Floats beside = RunOn(*Median(true), input, &apart)[0];
  EXPECT_EQ(over, beside);
  EXPECT_EQ(in_place, 1024 + 128);  // One tensor and a row.
  EXPECT_EQ(apart, 1024 + 1024 + 128);
  for (size_t i = 0; i < input.size(); ++i) {
    const size_t row = i / 32 * 32;
    Floats three = {input[i > row ? i - 1 : row], input[i],
                    input[std::min(i + 1, row + 31)]};
    std::sort(three.begin(), three.end());
    EXPECT_EQ(over[i], std::fabs(three[1])) << i;
  }
}

TEST(CustomOperatorTest, APlanForItPassesTheAudit) {
  const auto model = Median(true);
  const auto set = [](Interpreter& interpreter) -> Status {
    STOWPLAN_TRY(input, interpreter.input(0));
    return runtime::FillRandom(1, 0, input.dtype, input.data);
  };
  const auto finding =
      runtime::Audit(model->graph, WithOperators(), model->facts, set, 2);
  ASSERT_TRUE(finding) << finding.error().ToString();
  EXPECT_FALSE(*finding) << (**finding).ToString();
}

TEST(CustomOperatorTest, RefusesOperandsThatItHasNoCodeFor) {
  ModelBuilder builder;
  const int32_t x = builder.AddTensor({"x", ElementType::INT8, {4}});
  const int32_t y = builder.AddTensor({"y", ElementType::INT8, {4}});
  builder.AddCustomOperator("MedianFilter", {x}, {y});
  builder.SetBoundary({x}, {y});
  const ModelPointer model = ModelOf(builder.Build());
  auto interpreter =
      Interpreter::Create(model->graph, WithOperators(), model->facts);
  const Status status = (*interpreter)->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().ToString().find("MedianFilter"), std::string::npos);
}

// Each input element stamps the filter onto the output.
TEST(CustomOperatorTest, TransposesConvolutionsAsDefined) {
  for (int32_t padding : {1, 2}) {
    constexpr int32_t kIn = 3, kKernel = 3, kStride = 2, kChannels = 2;
    const int32_t out =
        padding == 1 ? kIn * kStride : (kIn - 1) * kStride + kKernel;
    const Floats weights = Random(kKernel * kKernel * kChannels);
    ModelBuilder builder;
    const int32_t x = AddFloat(builder, "x", {1, kIn, kIn, kChannels});
    const int32_t w =
        AddFloat(builder, "w", {1, kKernel, kKernel, kChannels}, weights);
    const int32_t b = AddFloat(builder, "b", {1}, {0.5f});
    const int32_t y = AddFloat(builder, "y", {1, out, out, 1});
    builder.AddCustomOperator(
        "Convolution2DTransposeBias", {x, w, b}, {y},
        BytesOf(std::vector<int32_t>{padding, kStride, kStride}));
    builder.SetBoundary({x}, {y});
    const Floats input = Random(kIn * kIn * kChannels);
    std::vector<double> expected(static_cast<size_t>(out * out), 0.5);
    const int pad = 0;  // Of SAME: one in all, behind the image.
    for (int i = 0; i < kIn * kIn * kKernel * kKernel * kChannels; ++i) {
      const int c = i % kChannels;
      const int kx = i / kChannels % kKernel;
      const int ky = i / (kChannels * kKernel) % kKernel;
      const int in_x = i / (kChannels * kKernel * kKernel) % kIn;
      const int in_y = i / (kChannels * kKernel * kKernel * kIn);
      const int to_x = in_x * kStride + kx - pad;
      const int to_y = in_y * kStride + ky - pad;
      if (to_x >= out || to_y >= out) continue;
      expected[static_cast<size_t>(to_y * out + to_x)] +=
          double{
              input[static_cast<size_t>((in_y * kIn + in_x) * kChannels + c)]} *
          weights[static_cast<size_t>((ky * kKernel + kx) * kChannels + c)];
    }
    const Floats ours = RunOn(*ModelOf(builder.Build()), input)[0];
    ASSERT_EQ(ours.size(), expected.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i], expected[i], 1e-6) << "padding " << padding;
    }
  }
}

// Pooled and put back: each window keeps its largest where it was.
TEST(CustomOperatorTest, UnpoolsWhatItPooled) {
  const std::vector<std::byte> options =
      BytesOf(std::vector<int32_t>{1, 2, 2, 2, 2, 0});
  ModelBuilder builder;
  const int32_t x = AddFloat(builder, "x", {2, 4, 6, 3});
  const int32_t largest = AddFloat(builder, "largest", {2, 2, 3, 3});
  const int32_t where = AddFloat(builder, "where", {2, 2, 3, 3});
  const int32_t y = AddFloat(builder, "y", {2, 4, 6, 3});
  builder.AddCustomOperator("MaxPoolingWithArgmax2D", {x}, {largest, where},
                            options);
  builder.AddCustomOperator("MaxUnpooling2D", {largest, where}, {y}, options);
  builder.SetBoundary({x}, {y, largest});
  const Floats input = Random(2 * 4 * 6 * 3);
  const std::vector<Floats> outputs = RunOn(*ModelOf(builder.Build()), input);
  const auto at = [](int64_t b, int64_t row, int64_t column, int64_t c) {
    return static_cast<size_t>(((b * 4 + row) * 6 + column) * 3 + c);
  };
  for (int64_t window = 0; window < 2 * 2 * 3 * 3; ++window) {
    const int64_t c = window % 3;
    const int64_t column = window / 3 % 3 * 2;
    const int64_t row = window / 9 % 2 * 2;
    const int64_t b = window / 18;
    Floats four;
    for (int64_t k : {0, 1, 2, 3}) {
      four.push_back(input[at(b, row + k / 2, column + k % 2, c)]);
    }
    const float most = *std::max_element(four.begin(), four.end());
    EXPECT_EQ(outputs[1][static_cast<size_t>(window)], most);
    for (int64_t k : {0, 1, 2, 3}) {
      EXPECT_EQ(outputs[0][at(b, row + k / 2, column + k % 2, c)],
                four[static_cast<size_t>(k)] == most ? most : 0.0f);
    }
  }
}

TEST(CustomOperatorTest, RunsThePublicModelsThatStoppedThere) {
  for (const char* name :
       {"mp_selfie_segmentation_f16", "mp_hair_segmentation_f32"}) {
    const ModelPointer model = SharedModel(name);
    if (model == nullptr) GTEST_SKIP() << name << " is not there";
    const auto finding = runtime::Audit(model->graph, WithOperators(),
                                        model->facts, FillInputs, 1);
    ASSERT_TRUE(finding) << name << ": " << finding.error().ToString();
    EXPECT_FALSE(*finding) << name << ": " << (**finding).ToString();
  }
}

}  // namespace
}  // namespace stowplan::tests
