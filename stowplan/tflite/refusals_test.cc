// SPDX-License-Identifier: Apache-2.0
//
// One broken thing a model, and the words in which it is refused.
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/testing/model_builder.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::tflite {
namespace {

using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;
using testing::TensorSpec;
using File = std::vector<std::byte>;

struct Refusal {
  std::string name;
  std::function<void(ModelBuilder&)> build;  // On tensors 0, 1: floats [4].
  std::string where;
  std::string what;
};

std::vector<float> Floats(size_t count) { return std::vector<float>(count, 1); }

TensorSpec Channels(std::vector<float> scales, std::vector<int64_t> zeros,
                    int32_t dimension) {
  return {.name = "q",
          .type = ElementType::INT8,
          .shape = {2, 3},
          .quantization = {std::move(scales), std::move(zeros), dimension}};
}

const std::vector<Refusal>& Tensors() {
  static const std::vector<Refusal> refusals = {
      {"NegativeDimension",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "t", .shape = {2, -2}});
       },
       "subgraph 0, tensor 2 (t) at byte", "dimension 1 of [2, -2]"},
      {"HugeShape",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "t", .shape = {1 << 30, 1 << 30, 0, 1 << 30}});
       },
       "tensor 2 (t)", "does not fit in 64 bits"},
      {"ContentOfAnotherSize",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "t", .shape = {3}, .data = BytesOf(Floats(2))});
       },
       "tensor 2 (t)", "takes 12 bytes, but buffer 1 holds 8"},
      {"SignatureOfAnotherRank",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "t", .shape = {3}, .signature = {-1, 3}});
       },
       "tensor 2 (t)", "differ in rank"},
      {"SignatureBelowMinusOne",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "t", .shape = {3}, .signature = {-7}});
       },
       "tensor 2 (t)", "below -1"},
      {"UnknownType",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "t", .type = static_cast<ElementType>(99)});
       },
       "tensor 2 (t)", "element type 99"},
      {"VariableWithContent",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "t",
                      .shape = {1},
                      .data = BytesOf(Floats(1)),
                      .variable = true});
       },
       "tensor 2 (t)", "a variable and has content"},
      {"ScalesForAnotherDimension",
       [](ModelBuilder& b) {
         b.AddTensor(Channels({1, 1, 1}, {0, 0, 0}, 0));
       },
       "tensor 2 (q)", "3 scales along dimension 0"},
      {"ScalesForNoDimension",
       [](ModelBuilder& b) {
         b.AddTensor(Channels({1, 1, 1}, {0, 0, 0}, 2));
       },
       "tensor 2 (q)", "3 scales along dimension 2"},
      {"ZeroPointsForOtherScales",
       [](ModelBuilder& b) {
         b.AddTensor(Channels({1, 1, 1}, {0, 0}, 1));
       },
       "tensor 2 (q)", "3 scales and 2 zero points"},
      {"BlockScalesNowhere",
       [](ModelBuilder& b) {
         TensorSpec spec = Channels({}, {}, 0);
         spec.quantization.block_size = 4;
         spec.quantization.block_scales = 9;
         b.AddTensor(spec);
       },
       "tensor 2 (q)", "are tensors 9 and -1"},
  };
  return refusals;
}

const std::vector<Refusal>& Operators() {
  static const std::vector<Refusal> refusals = {
      {"InputNowhere", [](ModelBuilder& b) { b.AddOperator("RELU", {5}, {1}); },
       "subgraph 0, operator 0 (RELU) at byte", "input 0 is tensor 5"},
      {"OutputLeftOut",
       [](ModelBuilder& b) { b.AddOperator("RELU", {0}, {-1}); },
       "operator 0 (RELU)", "output 0 is tensor -1"},
      {"IntermediateNowhere",
       [](ModelBuilder& b) {
         b.AddOperator("RELU", {0}, {1});
         b.SetIntermediates({-1, 8});
       },
       "operator 0 (RELU)", "intermediate 1 is tensor 8"},
      {"CustomWithoutName",
       [](ModelBuilder& b) { b.AddCustomOperator("", {0}, {1}); },
       "operator code 0", "has no name"},
      {"WritesAConstant",
       [](ModelBuilder& b) {
         b.AddTensor({.name = "c", .shape = {1}, .data = BytesOf(Floats(1))});
         b.AddOperator("RELU", {0}, {2});
       },
       "operator 0 (RELU)", "writes tensor 2 (c), which is a constant"},
      {"WritesAnInput",
       [](ModelBuilder& b) {
         b.AddOperator("RELU", {0}, {1});
         b.SetBoundary({0, 1}, {1});
       },
       "operator 0 (RELU)", "which is an input of the subgraph"},
      {"WritesWhatAnotherWrote",
       [](ModelBuilder& b) {
         b.AddOperator("RELU", {0}, {1});
         b.AddOperator("TANH", {0}, {1});
       },
       "operator 1 (TANH)", "which operator 0 writes too"},
      {"WritesWhatItReads",
       [](ModelBuilder& b) {
         b.AddOperator("RELU", {0, 1}, {1});
       },
       "operator 0 (RELU)", "which it also reads"},
      {"BoundaryNowhere",
       [](ModelBuilder& b) {
         b.SetBoundary({0}, {1, 7});
       },
       "subgraph 0 (main)", "output 1 is tensor 7"},
      {"NameNowhere",
       [](ModelBuilder& b) {
         b.AddSignature("go", {{"x", 4}}, {});
       },
       "signature 0 (go)", "the name 'x' stands for tensor 4"},
  };
  return refusals;
}

const std::vector<Refusal>& Calls() {
  static const std::vector<Refusal> refusals = {
      {"CalleeNowhere",
       [](ModelBuilder& b) {
         b.AddOperator("IF", {0, 0}, {1}, {{"else_subgraph_index", 7}});
         b.SetBoundary({0}, {1});
       },
       "operator 0 (IF)", "runs subgraph 7, but there are 1"},
      {"CalleeWithOtherOperands",
       [](ModelBuilder& b) {
         b.AddOperator(
             "WHILE", {0}, {1},
             {{"cond_subgraph_index", 1}, {"body_subgraph_index", 1}});
         b.AddSubgraph("body");
       },
       "operator 0 (WHILE)", "but that one has 0 and 0"},
      {"Recursion",
       [](ModelBuilder& b) {
         b.AddOperator("CALL_ONCE", {}, {}, {{"init_subgraph_index", 1}});
         b.AddSubgraph("first");
         b.AddOperator("CALL_ONCE", {}, {}, {{"init_subgraph_index", 2}});
         b.AddSubgraph("second");
         b.AddOperator("CALL_ONCE", {}, {}, {{"init_subgraph_index", 1}});
       },
       "subgraph 1 (first)", "calls itself"},
      {"CallsWithoutMeasure",
       [](ModelBuilder& b) {
         for (int32_t i = 1; i < 40; ++i) {
           b.AddOperator("CALL_ONCE", {}, {}, {{"init_subgraph_index", i}});
           b.AddOperator("CALL_ONCE", {}, {}, {{"init_subgraph_index", i}});
           b.AddSubgraph("next");
         }
       },
       "subgraph ", "more than 4000000 operators"},
      {"CallsWithoutEnd",
       [](ModelBuilder& b) {
         for (int32_t i = 1; i < 80; ++i) {
           b.AddOperator("CALL_ONCE", {}, {}, {{"init_subgraph_index", i}});
           b.AddSubgraph("next");
         }
       },
       "subgraph ", "deeper than 64"},
  };
  return refusals;
}

void Expect(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    ModelBuilder builder;
    builder.AddTensor({.name = "x", .shape = {4}});
    builder.AddTensor({.name = "y", .shape = {4}});
    refusal.build(builder);
    const File file = builder.Build().value();
    const auto view = ModelView::Open(file);
    ASSERT_FALSE(view) << refusal.name;
    const Error& error = view.error();
    EXPECT_EQ(error.kind, ErrorKind::kBadInput) << refusal.name;
    EXPECT_NE(error.where.find(refusal.where), std::string::npos)
        << refusal.name << ": " << error.ToString();
    EXPECT_NE(error.what.find(refusal.what), std::string::npos)
        << refusal.name << ": " << error.ToString();
    EXPECT_FALSE(error.remedy.empty()) << refusal.name;
  }
}

TEST(RefusalsTest, TensorsThatCannotBeAreRefusedByName) { Expect(Tensors()); }

TEST(RefusalsTest, OperatorsThatCannotRunAreRefusedByName) {
  Expect(Operators());
}

TEST(RefusalsTest, CallsThatCannotBeFollowedAreRefused) { Expect(Calls()); }

// The builder writes sound headers, so these fields are changed afterwards.
template <class T>
void Patch(const void* table, flatbuffers::voffset_t field, T value) {
  auto* writable = const_cast<flatbuffers::Table*>(
      static_cast<const flatbuffers::Table*>(table));
  ASSERT_TRUE(writable->SetField<T>(field, value, T{}));
}

class PatchTest : public ::testing::Test {
 protected:
  PatchTest() {
    ModelBuilder builder;
    builder.AddTensor({.name = "x", .shape = {4}});
    builder.AddTensor({.name = "y", .shape = {4}});
    builder.AddTensor({.name = "z", .shape = {4}});
    builder.AddTensor({.name = "w", .shape = {1}, .data = BytesOf(Floats(1))});
    builder.AddOperator("RELU", {0}, {1});
    builder.AddOperator("TANH", {1}, {2});
    builder.AddMetadata("note", BytesOf(Floats(1)));
    builder.AddSubgraph("second");
    builder.AddSignature("go", {}, {});
    file_ = builder.Build().value();
  }

  const schema::Model& model() const { return *schema::GetModel(file_.data()); }
  std::string Refusal() const {
    const auto view = ModelView::Open(file_);
    return view ? "opened" : view.error().ToString();
  }

  File file_;
};

TEST_F(PatchTest, TheModelBeforeThePatchOpens) {
  EXPECT_EQ(Refusal(), "opened");
}

TEST_F(PatchTest, AnotherVersionIsRefused) {
  Patch<uint32_t>(&model(), schema::Model::VT_VERSION, 2);
  EXPECT_NE(Refusal().find("version is 2, not 3"), std::string::npos);
}

TEST_F(PatchTest, AnOperatorThatIsNotKnownIsRefused) {
  Patch<int32_t>(model().operator_codes()->Get(0),
                 schema::OperatorCode::VT_BUILTIN_CODE, 210);
  EXPECT_NE(Refusal().find("operator number 210"), std::string::npos);
}

TEST_F(PatchTest, AnOperatorOfNoKindIsRefused) {
  Patch<uint32_t>(model().subgraphs()->Get(0)->operators()->Get(1),
                  schema::Operator::VT_OPCODE_INDEX, 2);
  EXPECT_NE(Refusal().find("operator code 2, but there are 2"),
            std::string::npos);
}

TEST_F(PatchTest, ATensorWithoutABufferIsRefused) {
  Patch<uint32_t>(model().subgraphs()->Get(0)->tensors()->Get(3),
                  schema::Tensor::VT_BUFFER, 44);
  EXPECT_NE(Refusal().find("tensor 3 (w)"), std::string::npos);
}

TEST_F(PatchTest, MetadataWithoutABufferAreRefused) {
  Patch<uint32_t>(model().metadata()->Get(0), schema::Metadata::VT_BUFFER, 9);
  EXPECT_NE(Refusal().find("metadata 0 (note)"), std::string::npos);
}

TEST_F(PatchTest, ASignatureWithoutASubgraphIsRefused) {
  Patch<uint32_t>(model().signature_defs()->Get(0),
                  schema::SignatureDef::VT_SUBGRAPH_INDEX, 2);
  EXPECT_NE(Refusal().find("runs subgraph 2"), std::string::npos);
}

}  // namespace
}  // namespace stowplan::tflite
