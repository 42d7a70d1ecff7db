// SPDX-License-Identifier: Apache-2.0
#include "stowplan/model/import.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/testing/model_builder.h"

namespace stowplan::model {
namespace {

using graph::OpKind;
using graph::Quantization;
using graph::SubgraphId;
using graph::TensorId;
using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;

class ImportTest : public ::testing::Test {
 protected:
  // The graph of the builder's model.
  const graph::Model& Import() {
    file_ = builder_.Build().value();
    const auto view = tflite::ModelView::Open(file_);
    EXPECT_TRUE(view) << view.error().ToString();
    model_ = model::Import(*view).value();
    return model_;
  }
  const graph::Tensor& Only(testing::TensorSpec spec) {
    builder_ = ModelBuilder();
    builder_.AddTensor(std::move(spec));
    return Import().subgraphs[0].tensors[0];
  }

  ModelBuilder builder_;
  std::vector<std::byte> file_;
  graph::Model model_;
};

TEST_F(ImportTest, ElementTypesKeepTheirNames) {
  for (ElementType type : tflite::schema::EnumValuesTensorType()) {
    const graph::Tensor& tensor = Only({.name = "t", .type = type});
    std::string name(NameOf(tensor.dtype));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    });
    EXPECT_EQ(name, tflite::schema::EnumNameTensorType(type));
  }
}

TEST_F(ImportTest, ConstantsAreViewsIntoTheFile) {
  for (bool outside : {false, true}) {
    const graph::Tensor& tensor =
        Only({.name = "w",
              .shape = {2},
              .data = BytesOf(std::vector<float>{1, 2}),
              .outside = outside});
    EXPECT_TRUE(tensor.constant);
    ASSERT_EQ(tensor.data.size(), 8u);
    EXPECT_GE(tensor.data.data(), file_.data());
    EXPECT_LE(tensor.data.data() + 8, file_.data() + file_.size());
    EXPECT_EQ(graph::SizeOf(tensor), 8);
    EXPECT_EQ(model_.source.external_buffers, outside ? 1 : 0);
  }
}

TEST_F(ImportTest, ATensorOfNoElementsThatNobodyWritesIsAConstant) {
  EXPECT_TRUE(Only({.name = "axes", .shape = {0}}).constant);
  EXPECT_FALSE(
      Only({.name = "state", .shape = {0}, .variable = true}).constant);
  EXPECT_FALSE(Only({.name = "free", .shape = {3}}).constant);
}

TEST_F(ImportTest, AShapeThatIsNotStoredIsUnknown) {
  EXPECT_EQ(Only({.name = "t", .has_rank = false}).shape, std::nullopt);
  EXPECT_EQ(Only({.name = "t", .has_rank = true}).shape, graph::Shape());
  const auto one = BytesOf(std::vector<float>{1});
  EXPECT_EQ(Only({.name = "t", .data = one, .has_rank = false}).shape,
            graph::Shape());
}

TEST_F(ImportTest, AnInputOfAnEntryPointWithoutShapeIsAScalar) {
  builder_.AddTensor({.name = "x", .has_rank = false});
  builder_.SetBoundary({0}, {});
  builder_.AddSubgraph("entry");
  builder_.AddTensor({.name = "x", .has_rank = false});
  builder_.SetBoundary({0}, {});
  builder_.AddSignature("go", {{"x", 0}}, {});
  builder_.AddSubgraph("callee");
  builder_.AddTensor({.name = "x", .has_rank = false});
  builder_.SetBoundary({0}, {});
  const graph::Model& model = Import();
  EXPECT_EQ(model.subgraphs[0].tensors[0].shape, graph::Shape());
  EXPECT_EQ(model.subgraphs[1].tensors[0].shape, graph::Shape());
  EXPECT_EQ(model.subgraphs[2].tensors[0].shape, std::nullopt);
}

TEST_F(ImportTest, QuantisationKeepsItsScheme) {
  EXPECT_EQ(Only({.name = "t"}).quantization.scheme,
            Quantization::Scheme::kNone);
  const Quantization one =
      Only({.name = "t", .quantization = {{0.5f}, {3}}}).quantization;
  EXPECT_EQ(one.scheme, Quantization::Scheme::kPerTensor);
  EXPECT_EQ(one.scales, std::vector<float>{0.5f});
  EXPECT_EQ(one.zero_points, std::vector<int64_t>{3});
  const Quantization many =
      Only({.name = "t", .shape = {1, 2}, .quantization = {{1, 2}, {0, 0}, 1}})
          .quantization;
  EXPECT_EQ(many.scheme, Quantization::Scheme::kPerChannel);
  EXPECT_EQ(many.dimension, 1);
  const Quantization bias =
      Only({.name = "t", .shape = {2}, .quantization = {{1, 2}, {0, 0}, 3}})
          .quantization;
  EXPECT_EQ(bias.dimension, 0);
}

TEST_F(ImportTest, BlockwiseQuantisationKeepsItsBlockSize) {
  testing::TensorSpec spec{.name = "w", .shape = {64}};
  spec.quantization.block_size = 32;
  const graph::Tensor& tensor = Only(spec);
  EXPECT_EQ(tensor.quantization.scheme, Quantization::Scheme::kBlockwise);
  EXPECT_EQ(tensor.quantization.dimension, 32);
}

TEST_F(ImportTest, SparseConstantsTakeWhatIsStored) {
  const graph::Tensor& tensor =
      Only({.name = "w",
            .type = ElementType::INT8,
            .shape = {3, 3},
            .data = std::vector<std::byte>(3),
            .sparsity = testing::SparsitySpec{
                {0, 1}, {}, {{3, {}, {}}, {0, {0, 1, 1, 3}, {1, 0, 2}}}}});
  EXPECT_TRUE(tensor.sparse);
  EXPECT_EQ(graph::SizeOf(tensor), 3);
}

TEST_F(ImportTest, OperatorsKeepOptionsOperandsAndCallees) {
  builder_.AddTensor({.name = "x", .shape = {1, 4, 4, 1}});
  builder_.AddTensor({.name = "y", .shape = {1, 2, 2, 1}});
  builder_.AddOperator("MAX_POOL_2D", {0}, {1}, {{"stride_h", 2}});
  builder_.AddOperator(
      "IF", {0}, {}, {{"then_subgraph_index", 1}, {"else_subgraph_index", 2}});
  builder_.AddCustomOperator("ADD", {0, -1}, {});
  builder_.AddSubgraph("then");
  builder_.AddSubgraph("else");
  const auto& operators = Import().subgraphs[0].operators;
  EXPECT_EQ(operators[0].kind, OpKind::kMaxPool2d);
  EXPECT_EQ(operators[0].attributes.Int("stride_h", 0), 2);
  EXPECT_EQ(operators[0].attributes.String("padding", ""), "SAME");
  EXPECT_EQ(operators[1].callees, (std::vector{SubgraphId(1), SubgraphId(2)}));
  EXPECT_EQ(operators[2].kind, OpKind::kCustom);
  EXPECT_EQ(operators[2].type, "ADD");
  EXPECT_EQ(operators[2].inputs, (std::vector{TensorId(0), TensorId()}));
}

TEST_F(ImportTest, OperatorsWithEqualOptionsShareThem) {
  builder_.AddTensor({.name = "x", .shape = {1, 4, 4, 1}});
  for (int64_t stride : {2, 1, 2}) {
    const int32_t y = builder_.AddTensor({.name = "y", .shape = {1}});
    builder_.AddOperator("MAX_POOL_2D", {0}, {y}, {{"stride_h", stride}});
  }
  const auto& operators = Import().subgraphs[0].operators;
  EXPECT_EQ(operators[0].attributes.identity(),
            operators[2].attributes.identity());
  EXPECT_NE(operators[0].attributes.identity(),
            operators[1].attributes.identity());
  EXPECT_EQ(operators[1].attributes.Int("stride_h", 0), 1);
}

TEST_F(ImportTest, SignaturesAndFactsComeAlong) {
  builder_ = ModelBuilder("a model");
  builder_.AddTensor({.name = "x", .shape = {1}});
  builder_.SetBoundary({0}, {0});
  builder_.AddSignature("go", {{"in", 0}}, {{"out", 0}});
  builder_.AddMetadata("min_runtime_version", BytesOf(std::vector<char>{'1'}));
  const graph::Model& model = Import();
  ASSERT_EQ(model.signatures.size(), 1u);
  EXPECT_EQ(model.signatures[0].key, "go");
  EXPECT_EQ(model.signatures[0].outputs[0].name, "out");
  EXPECT_EQ(model.source.description, "a model");
  EXPECT_EQ(model.source.bytes, static_cast<Bytes>(file_.size()));
  EXPECT_EQ(model.source.metadata,
            std::vector<std::string>{"min_runtime_version"});
}

TEST_F(ImportTest, StorageLivesAsLongAsTheGraph) {
  file_ = builder_.Build().value();
  auto storage = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = storage;
  {
    const auto view = tflite::ModelView::Open(file_);
    const auto model = model::Import(*view, std::move(storage));
    ASSERT_TRUE(model);
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST_F(ImportTest, AnOperatorBeforeItsWriterIsRefused) {
  for (const char* name : {"x", "y", "z"}) {
    builder_.AddTensor({.name = name, .shape = {1}});
  }
  builder_.AddOperator("RELU", {1}, {2});
  builder_.AddOperator("TANH", {0}, {1});
  builder_.SetBoundary({0}, {2});
  file_ = builder_.Build().value();
  const auto view = tflite::ModelView::Open(file_);
  ASSERT_TRUE(view) << view.error().ToString();
  const auto model = model::Import(*view);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().kind, ErrorKind::kBadInput);
  EXPECT_NE(model.error().ToString().find("RELU"), std::string::npos)
      << model.error().ToString();
}

}  // namespace
}  // namespace stowplan::model
