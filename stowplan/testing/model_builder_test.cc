// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/model_builder.h"

#include "gtest/gtest.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::testing {
namespace {

namespace schema = tflite::schema;

ModelBuilder Relu() {
  ModelBuilder builder("one operator");
  const int32_t in = builder.AddTensor({"in", ElementType::FLOAT32, {4}});
  const int32_t out = builder.AddTensor({"out", ElementType::FLOAT32, {4}});
  builder.AddOperator("RELU", {in}, {out});
  builder.SetBoundary({in}, {out});
  return builder;
}

TEST(ModelBuilderTest, TheSameCallsGiveTheSameBytes) {
  EXPECT_EQ(Relu().Build().value(), Relu().Build().value());
}

TEST(ModelBuilderTest, WritesWhatItWasTold) {
  ModelBuilder builder = Relu();
  builder.AddSignature("run", {{"x", 0}}, {{"y", 1}});
  builder.AddMetadata("note", BytesOf(std::vector<int8_t>{1, 2}));
  const auto file = builder.Build().value();
  const auto view = tflite::ModelView::Open(file);
  ASSERT_TRUE(view) << view.error().ToString();
  const schema::Model& model = view->model();
  EXPECT_EQ(model.description()->str(), "one operator");
  const schema::SubGraph& graph = *model.subgraphs()->Get(0);
  EXPECT_EQ(graph.tensors()->Get(1)->name()->str(), "out");
  EXPECT_EQ(view->NameOf(*graph.operators()->Get(0)), "RELU");
  EXPECT_EQ(model.signature_defs()->Get(0)->signature_key()->str(), "run");
  EXPECT_EQ(view->Content(model.metadata()->Get(0)->buffer()).size(), 2u);
}

TEST(ModelBuilderTest, ContentBehindTheFlatBufferIsAligned) {
  ModelBuilder builder = Relu();
  for (int i = 1; i < 4; ++i) {
    builder.AddTensor(
        {.name = "w",
         .type = ElementType::INT8,
         .shape = {i},
         .data = std::vector<std::byte>(static_cast<size_t>(i), std::byte{7}),
         .outside = true});
  }
  const auto file = builder.Build().value();
  const auto view = tflite::ModelView::Open(file);
  ASSERT_TRUE(view) << view.error().ToString();
  for (uint32_t i = 1; i < 4; ++i) {
    const schema::Buffer& buffer = *view->model().buffers()->Get(i);
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(buffer.offset() % 16, 0u);
    ASSERT_EQ(view->Content(i).size(), i);
    EXPECT_EQ(view->Content(i).back(), std::byte{7});
  }
}

TEST(ModelBuilderTest, OperatorsOfOneKindShareTheirCode) {
  ModelBuilder builder = Relu();
  builder.AddTensor({"more", ElementType::FLOAT32, {4}});
  builder.AddTensor({"most", ElementType::FLOAT32, {4}});
  builder.AddOperator("RELU", {1}, {2});
  builder.AddCustomOperator("RELU", {2}, {3});
  const auto file = builder.Build().value();
  const schema::Model& model = *schema::GetModel(file.data());
  ASSERT_EQ(model.operator_codes()->size(), 2u);
  EXPECT_EQ(model.operator_codes()->Get(1)->custom_code()->str(), "RELU");
}

TEST(ModelBuilderTest, RefusesNamesThatTheSchemaDoesNotHave) {
  ModelBuilder unknown_operator;
  unknown_operator.AddOperator("CONV_9D", {}, {});
  EXPECT_FALSE(unknown_operator.Build());
  ModelBuilder unknown_option;
  unknown_option.AddOperator("CONV_2D", {}, {}, {{"stride", 1}});
  EXPECT_FALSE(unknown_option.Build());
  ModelBuilder unknown_member;
  unknown_member.AddOperator("CONV_2D", {}, {}, {{"padding", "EVEN"}});
  EXPECT_FALSE(unknown_member.Build());
  ModelBuilder no_options;
  no_options.AddOperator("RELU", {}, {}, {{"alpha", 1.0}});
  EXPECT_FALSE(no_options.Build());
}

}  // namespace
}  // namespace stowplan::testing
