// SPDX-License-Identifier: Apache-2.0
//
// Each rule by hand: one operator, its inputs, the shapes that come out.
#include "stowplan/graph/shape_rules.h"

#include <map>

#include "gtest/gtest.h"

namespace stowplan::graph {
namespace {

constexpr int64_t kOpen = kUnknownDim;

struct In {
  In() = default;                       // Not even the rank is known.
  In(Shape s) : shape(std::move(s)) {}  // NOLINT: reads as a shape.
  In(Shape s, KnownInts v) : shape(std::move(s)), value(std::move(v)) {}
  std::optional<Shape> shape;
  std::optional<KnownInts> value;
  bool left_out = false;
};

In Ints(KnownInts value) {
  const auto size = static_cast<int64_t>(value.size());
  return In(Shape{size}, std::move(value));
}
In Number(int64_t value) { return In(Shape{}, KnownInts{value}); }
In UnknownRank() { return In(); }
In LeftOut() {
  In in = UnknownRank();
  in.left_out = true;
  return in;
}

std::string Text(const std::optional<Shape>& shape) {
  if (!shape) return "?";
  std::string text = "[";
  for (int64_t dim : *shape) {
    text += (text.size() == 1 ? "" : " ") +
            (dim == kUnknownDim ? "?" : std::to_string(dim));
  }
  return text + "]";
}

struct Case {
  OpKind kind;
  std::vector<In> inputs;
  std::map<std::string, Attribute> options = {};
  size_t outputs = 1;
  DType from = DType::kFloat32;
  DType to = DType::kFloat32;
};

// The outputs' shapes, or what is wrong.
std::string Shapes(const Case& c) {
  Subgraph subgraph;
  Operator op;
  op.kind = c.kind;
  op.type = TraitsOf(c.kind).name;
  for (const auto& [name, value] : c.options) op.attributes.Set(name, value);
  std::vector<TensorFacts> facts;
  std::vector<const TensorFacts*> inputs;
  facts.reserve(c.inputs.size());
  for (const In& in : c.inputs) {
    op.inputs.push_back(in.left_out
                            ? TensorId()
                            : TensorId::FromIndex(subgraph.tensors.size()));
    subgraph.tensors.emplace_back().dtype = c.from;
    facts.push_back({in.shape, in.value});
    inputs.push_back(in.left_out ? nullptr : &facts.back());
  }
  for (size_t i = 0; i < c.outputs; ++i) {
    op.outputs.push_back(TensorId::FromIndex(subgraph.tensors.size()));
    subgraph.tensors.emplace_back().dtype = c.to;
  }
  const ShapeRule* rule = ShapeRuleOf(op);
  if (rule == nullptr || rule->shape == nullptr) return "no rule";
  ShapeContext context(subgraph, op, inputs,
                       std::vector<TensorFacts>(c.outputs));
  rule->shape(context);
  if (context.failed()) return context.error();
  std::string text;
  for (const TensorFacts& out : context.TakeOutputs()) {
    text += (text.empty() ? "" : " ") + Text(out.shape);
  }
  return text;
}

std::map<std::string, Attribute> Options(std::string padding, int64_t stride,
                                         int64_t dilation = 1) {
  return {{"padding", padding},
          {"stride_h", stride},
          {"stride_w", stride},
          {"dilation_h_factor", dilation},
          {"dilation_w_factor", dilation}};
}

using enum OpKind;

TEST(ShapeRulesTest, ElementwiseOperatorsKeepTheShape) {
  EXPECT_EQ(Shapes({kRelu, {{{1, kOpen, 3}}}}), "[1 ? 3]");
  EXPECT_EQ(Shapes({kRelu, {UnknownRank()}}), "?");
  EXPECT_EQ(Shapes({kDynamicUpdateSlice, {{{4, 8}}, {{1, 8}}, Ints({0, 0})}}),
            "[4 8]");
}

TEST(ShapeRulesTest, OperandsBroadcast) {
  EXPECT_EQ(Shapes({kAdd, {{{2, 1, 4}}, {{3, 1}}}}), "[2 3 4]");
  EXPECT_EQ(Shapes({kMul, {{{2, 3}}, {Shape{}}}}), "[2 3]");
  EXPECT_EQ(Shapes({kAdd, {{{kOpen, 3}}, {{1, 3}}}}), "[? 3]");
  EXPECT_EQ(Shapes({kAdd, {{{kOpen, 3}}, {{5, 3}}}}), "[5 3]");
  EXPECT_EQ(Shapes({kAdd, {{{0, 3}}, {{1, 3}}}}), "[0 3]");
  EXPECT_EQ(Shapes({kAdd, {{{2, 3}}, {{4}}}}), "cannot broadcast 3 against 4");
  EXPECT_EQ(Shapes({kSelectV2, {{{3, 1}}, {{1, 4}}, {Shape{}}}}), "[3 4]");
  EXPECT_EQ(Shapes({kSelect, {{{3}}, {{3, 4}}, {{3, 4}}}}), "[3 4]");
}

TEST(ShapeRulesTest, BitcastKeepsTheBytes) {
  Case c{kBitcast, {{{2, 4}}}};
  c.to = DType::kInt8;
  EXPECT_EQ(Shapes(c), "[2 4 4]");
  c.from = DType::kInt8;
  c.to = DType::kFloat32;
  EXPECT_EQ(Shapes(c), "[2]");
  c.inputs = {{{2, 3}}};
  EXPECT_NE(Shapes(c), "[2]");
}

TEST(ShapeRulesTest, ConvolutionsPadAndStride) {
  const In filter{{16, 3, 3, 8}};
  EXPECT_EQ(Shapes({kConv2d, {{{1, 7, 8, 8}}, filter}, Options("SAME", 2)}),
            "[1 4 4 16]");
  EXPECT_EQ(Shapes({kConv2d, {{{1, 7, 8, 8}}, filter}, Options("VALID", 2)}),
            "[1 3 3 16]");
  EXPECT_EQ(Shapes({kConv2d, {{{1, 7, 8, 8}}, filter}, Options("VALID", 1, 3)}),
            "[1 1 2 16]");
  EXPECT_EQ(
      Shapes({kConv2d, {{{kOpen, kOpen, 8, 8}}, filter}, Options("SAME", 1)}),
      "[? ? 8 16]");
  EXPECT_EQ(Shapes({kConv2d, {{{1, 2, 8, 8}}, filter}, Options("VALID", 1)}),
            "has a window of 3 over 2 elements");
  EXPECT_EQ(Shapes({kConv2d, {{{1, 2, 8, 8}}, filter}, Options("SAME", 0)}),
            "has a stride or dilation that is not positive");
  EXPECT_EQ(Shapes({kConv2d, {{{1, 2, 8}}, filter}}),
            "tensor 0 has 3 dimensions, not 4");
  EXPECT_EQ(Shapes({kDepthwiseConv2d,
                    {{{1, 9, 9, 8}}, {{1, 5, 5, 16}}},
                    Options("VALID", 2)}),
            "[1 3 3 16]");
  EXPECT_EQ(Shapes({kConv3d,
                    {{{1, 4, 9, 9, 8}}, {{2, 3, 3, 8, 32}}},
                    Options("VALID", 1)}),
            "[1 3 7 7 32]");
}

TEST(ShapeRulesTest, OverflowOfAWindowIsAnError) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  EXPECT_EQ(Shapes({kConv2d,
                    {{{1, 8, 8, 8}}, {{1, kHuge, kHuge, 8}}},
                    Options("VALID", 1, kHuge)}),
            "has dimensions whose product does not fit in 64 bits");
  EXPECT_EQ(Shapes({kConv2d,
                    {{{1, std::numeric_limits<int64_t>::max(), 8, 8}},
                     {{1, 3, 3, 8}}},
                    Options("SAME", 3)}),
            "has dimensions whose sum does not fit in 64 bits");
}

TEST(ShapeRulesTest, PoolsTakeTheirWindowFromOptions) {
  auto options = Options("VALID", 2);
  options["filter_height"] = int64_t{3};
  options["filter_width"] = int64_t{2};
  EXPECT_EQ(Shapes({kMaxPool2d, {{{1, 9, 9, 4}}}, options}), "[1 4 4 4]");
  EXPECT_EQ(Shapes({kAveragePool2d, {{{1, 9, 9, 4}}}, Options("SAME", 2)}),
            "[1 5 5 4]");
}

TEST(ShapeRulesTest, TransposedConvolutionsAreToldTheirShape) {
  const In filter{{5, 3, 3, 8}};
  EXPECT_EQ(
      Shapes({kTransposeConv, {Ints({1, 8, 8, 5}), filter, {{1, 4, 4, 8}}}}),
      "[1 8 8 5]");
  EXPECT_EQ(Shapes({kTransposeConv,
                    {Ints({1, kUnknownInt, 8, 5}), filter, {{1, 4, 4, 8}}}}),
            "[1 ? 8 5]");
  EXPECT_EQ(Shapes({kTransposeConv, {UnknownRank(), filter, {{1, 4, 4, 8}}}}),
            "[? ? ? 5]");
}

TEST(ShapeRulesTest, ResizesTakeRowsAndColumns) {
  EXPECT_EQ(Shapes({kResizeBilinear, {{{1, 4, 4, 8}}, Ints({9, 7})}}),
            "[1 9 7 8]");
  EXPECT_EQ(Shapes({kResizeNearestNeighbor, {{{1, 4, 4, 8}}, {{2}}}}),
            "[1 ? ? 8]");
}

TEST(ShapeRulesTest, FullyConnectedFlattensUnlessTold) {
  EXPECT_EQ(Shapes({kFullyConnected, {{{2, 3, 8}}, {{5, 8}}, LeftOut()}}),
            "[6 5]");
  EXPECT_EQ(Shapes({kFullyConnected,
                    {{{2, 3, 8}}, {{5, 8}}},
                    {{"keep_num_dims", true}}}),
            "[2 3 5]");
  EXPECT_EQ(Shapes({kFullyConnected, {{{kOpen, 8}}, {{5, 8}}}}), "[? 5]");
  EXPECT_EQ(Shapes({kFullyConnected, {{{2, 7}}, {{5, 8}}}}),
            "has an input of 14 elements, which are no rows of 8");
}

TEST(ShapeRulesTest, MatricesMultiplyInBatches) {
  EXPECT_EQ(Shapes({kBatchMatmul, {{{2, 1, 3, 4}}, {{5, 4, 6}}}}), "[2 5 3 6]");
  EXPECT_EQ(Shapes({kBatchMatmul,
                    {{{4, 3}}, {{6, 4}}},
                    {{"adj_x", true}, {"adj_y", true}}}),
            "[3 6]");
  EXPECT_NE(Shapes({kBatchMatmul, {{{3, 4}}, {{5, 6}}}}), "[3 6]");
}

TEST(ShapeRulesTest, RecurrentNetworksHaveTheWidthOfTheirWeights) {
  std::vector<In> lstm(20, LeftOut());
  lstm[0] = In{{1, 10, 12}};
  lstm[8] = In{{24, 16}};
  EXPECT_EQ(Shapes({kUnidirectionalSequenceLstm, lstm}), "[1 10 16]");
  EXPECT_EQ(Shapes({kLstm,
                    {{{1, 12}}, {{1, 24}}, {{96, 36}}, {{96}}, {{1, 24}}},
                    {},
                    4}),
            "[1 24] [1 24] [1 36] [1 96]");
  EXPECT_EQ(Shapes({kSvdf, {{{1, 12}}, {{32, 12}}}, {{"rank", int64_t{2}}}}),
            "[1 16]");
  EXPECT_EQ(Shapes({kRnn, {{{2, 12}}, {{7, 12}}}}), "[2 7]");
  EXPECT_EQ(Shapes({kUnidirectionalSequenceRnn, {{{5, 2, 12}}, {{7, 12}}}}),
            "[5 2 7]");
}

TEST(ShapeRulesTest, ReshapeFindsOutOneDimension) {
  EXPECT_EQ(Shapes({kReshape, {{{2, 3, 4}}, Ints({-1, 6})}}), "[4 6]");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3, 4}}, Ints({24})}}), "[24]");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3}}}, {{"new_shape", KnownInts{3, -1}}}}),
            "[3 2]");
  EXPECT_EQ(Shapes({kReshape, {{{1}}}, {{"new_shape", KnownInts{0}}}}), "[]");
  EXPECT_EQ(Shapes({kReshape, {{{kOpen, 4}}, Ints({-1, 2})}}), "[? 2]");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3, 4}}, Ints({kUnknownInt, 12})}}),
            "[2 12]");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3, 4}}, {{3}}}}), "[? ? ?]");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3, 4}}, {{kOpen}}}}), "?");
  EXPECT_EQ(Shapes({kReshape, {UnknownRank(), Ints({2, 3})}}), "[2 3]");
  EXPECT_EQ(Shapes({kReshape, {{{0, 4}}, Ints({-1, 2})}}), "[0 2]");
}

TEST(ShapeRulesTest, ReshapeRefusesToLoseElements) {
  EXPECT_EQ(Shapes({kReshape, {{{2, 3}}, Ints({4})}}),
            "cannot arrange 6 elements as 4");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3}}, Ints({-1, 4})}}),
            "cannot arrange 6 elements in rows of 4");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3}}, Ints({-1, -1})}}),
            "is asked to find out more than one dimension");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3}}, Ints({-2, 3})}}),
            "would give tensor 2 a dimension of -2");
  EXPECT_EQ(Shapes({kReshape, {{{2, 3}}, Ints({0, -1})}}),
            "cannot keep its elements in an empty shape");
}

TEST(ShapeRulesTest, DimensionsOfOneComeAndGo) {
  EXPECT_EQ(Shapes({kSqueeze, {{{1, 3, 1}}}}), "[3]");
  EXPECT_EQ(
      Shapes({kSqueeze, {{{1, 3, 1}}}, {{"squeeze_dims", KnownInts{-1}}}}),
      "[1 3]");
  EXPECT_EQ(Shapes({kSqueeze, {{{kOpen, 3}}}}), "?");
  EXPECT_NE(Shapes({kSqueeze, {{{2, 3}}}, {{"squeeze_dims", KnownInts{0}}}}),
            "[3]");
  EXPECT_EQ(Shapes({kExpandDims, {{{2, 3}}, Number(-1)}}), "[2 3 1]");
  EXPECT_EQ(Shapes({kExpandDims, {{{2, 3}}, Ints({0})}}), "[1 2 3]");
  EXPECT_EQ(Shapes({kExpandDims, {{{2, 3}}, {Shape{}}}}), "[? ? ?]");
  EXPECT_EQ(Shapes({kExpandDims, {{{2, 3}}, Number(3)}}),
            "has the axis 3 of 3 dimensions");
}

TEST(ShapeRulesTest, TensorsArePutTogetherAndTakenApart) {
  EXPECT_EQ(Shapes({kTranspose, {{{2, 3, 4}}, Ints({2, 0, 1})}}), "[4 2 3]");
  EXPECT_EQ(Shapes({kPack, {{{2, 3}}, {{2, 3}}}, {{"axis", int64_t{1}}}}),
            "[2 2 3]");
  EXPECT_NE(Shapes({kPack, {{{2, 3}}, {{2, 4}}}}), "[2 2 3]");
  EXPECT_EQ(Shapes({kUnpack, {{{2, 3}}}, {{"axis", int64_t{-1}}}, 3}),
            "[2] [2] [2]");
  EXPECT_EQ(Shapes({kConcatenation,
                    {{{2, 3}}, {{2, 4}}, {{kOpen, 1}}},
                    {{"axis", int64_t{-1}}}}),
            "[2 8]");
  EXPECT_EQ(Shapes({kConcatenation, {{{2, 3}}, {{kOpen, 3}}}}), "[? 3]");
  EXPECT_NE(Shapes({kConcatenation, {{{2, 3}}, {{2, 4}}}}), "[4 3]");
  EXPECT_EQ(Shapes({kSplit, {Number(1), {{2, 6}}}, {}, 3}),
            "[2 2] [2 2] [2 2]");
  EXPECT_EQ(Shapes({kSplit, {Number(1), {{2, 7}}}, {}, 3}),
            "splits 7 in 3 equal parts");
  EXPECT_EQ(Shapes({kSplitV, {{{2, 7}}, Ints({2, -1, 1}), Number(1)}, {}, 3}),
            "[2 2] [2 4] [2 1]");
}

TEST(ShapeRulesTest, BlocksMoveBetweenDimensions) {
  const std::map<std::string, Attribute> two = {{"block_size", int64_t{2}}};
  EXPECT_EQ(Shapes({kSpaceToDepth, {{{1, 4, 6, 3}}}, two}), "[1 2 3 12]");
  EXPECT_EQ(Shapes({kDepthToSpace, {{{1, 2, 3, 12}}}, two}), "[1 4 6 3]");
  EXPECT_NE(Shapes({kDepthToSpace, {{{1, 2, 3, 3}}}, two}), "[1 4 6 0]");
  const In block = Ints({2, 2});
  EXPECT_EQ(
      Shapes({kSpaceToBatchNd, {{{1, 5, 6, 3}}, block, Ints({1, 0, 0, 0})}}),
      "[4 3 3 3]");
  EXPECT_EQ(
      Shapes({kBatchToSpaceNd, {{{4, 3, 3, 3}}, block, Ints({1, 0, 0, 0})}}),
      "[1 5 6 3]");
}

TEST(ShapeRulesTest, SlicesTakeRanges) {
  EXPECT_EQ(Shapes({kSlice, {{{4, 6}}, Ints({1, 2}), Ints({2, -1})}}), "[2 4]");
  EXPECT_EQ(Shapes({kSlice, {{{4, 6}}, {{2}}, Ints({2, 3})}}), "[2 3]");
  EXPECT_EQ(Shapes({kSlice, {{{4, 6}}, Ints({3, 2}), Ints({2, 1})}}),
            "takes 2 elements from 3 of 4");
}

std::string Strided(Shape in, KnownInts begin, KnownInts end, KnownInts stride,
                    std::map<std::string, Attribute> masks = {}) {
  return Shapes({kStridedSlice,
                 {In(std::move(in)), Ints(begin), Ints(end), Ints(stride)},
                 std::move(masks)});
}

TEST(ShapeRulesTest, StridedSlicesClampAndStep) {
  EXPECT_EQ(Strided({10}, {2}, {9}, {3}), "[3]");
  EXPECT_EQ(Strided({10}, {-3}, {100}, {1}), "[3]");
  EXPECT_EQ(Strided({10}, {8}, {2}, {1}), "[0]");
  EXPECT_EQ(Strided({10}, {8}, {2}, {-2}), "[3]");
  EXPECT_EQ(Strided({10, 4}, {1}, {3}, {1}), "[2 4]");
  EXPECT_EQ(Strided({kOpen, 4}, {0, 1}, {5, 3}, {1, 1}), "[? 2]");
  EXPECT_EQ(Strided({10}, {0}, {5}, {0}), "has a stride of 0");
}

TEST(ShapeRulesTest, StridedSlicesObeyTheirMasks) {
  const auto mask = [](const char* name, int64_t bits) {
    return std::map<std::string, Attribute>{{name, bits}};
  };
  EXPECT_EQ(Strided({10}, {5}, {0}, {1}, mask("end_mask", 1)), "[5]");
  EXPECT_EQ(Strided({10}, {5}, {7}, {1}, mask("begin_mask", 1)), "[7]");
  EXPECT_EQ(Strided({10}, {0}, {0}, {-1},
                    {{"begin_mask", int64_t{1}}, {"end_mask", int64_t{1}}}),
            "[10]");
  EXPECT_EQ(
      Strided({10, 4}, {3, 0}, {4, 4}, {1, 1}, mask("shrink_axis_mask", 1)),
      "[4]");
  EXPECT_EQ(
      Strided({10, 4}, {-1, 0}, {0, 4}, {1, 1}, mask("shrink_axis_mask", 1)),
      "[4]");
  EXPECT_EQ(
      Strided({10, 4}, {10, 0}, {11, 4}, {1, 1}, mask("shrink_axis_mask", 1)),
      "takes element 10 of 10");
  EXPECT_EQ(Strided({10, 4}, {0, 0}, {0, 2}, {1, 1}, mask("new_axis_mask", 1)),
            "[1 2 4]");
  EXPECT_EQ(
      Strided({2, 3, 4, 5}, {0, 1}, {0, 3}, {1, 1}, mask("ellipsis_mask", 1)),
      "[2 3 4 2]");
  EXPECT_EQ(Strided({10}, {2}, {3}, {1}, {{"offset", true}}), "[3]");
}

TEST(ShapeRulesTest, GathersReplaceAnAxis) {
  EXPECT_EQ(Shapes({kGather, {{{5, 6, 7}}, {{2, 3}}}, {{"axis", int64_t{1}}}}),
            "[5 2 3 7]");
  EXPECT_EQ(Shapes({kGather,
                    {{{5, 6, 7}}, {{5, 3}}},
                    {{"axis", int64_t{1}}, {"batch_dims", int64_t{1}}}}),
            "[5 3 7]");
  EXPECT_EQ(Shapes({kGather, {{{5, 6}}, {Shape{}}}}), "[6]");
  EXPECT_EQ(Shapes({kGatherNd, {{{5, 6, 7}}, {{4, 2}}}}), "[4 7]");
  EXPECT_NE(Shapes({kGatherNd, {{{5}}, {{4, 2}}}}), "[4]");
  EXPECT_EQ(Shapes({kEmbeddingLookup, {{{3}}, {{100, 8}}}}), "[3 8]");
  EXPECT_EQ(Shapes({kScatterNd, {{{2, 1}}, {{2, 4}}, Ints({9, 4})}}), "[9 4]");
}

TEST(ShapeRulesTest, CountsComeFromNumbers) {
  EXPECT_EQ(Shapes({kTopkV2, {{{2, 9}}, Number(3)}, {}, 2}), "[2 3] [2 3]");
  EXPECT_EQ(Shapes({kTopkV2, {{{2, 9}}, {Shape{}}}, {}, 2}), "[2 ?] [2 ?]");
  EXPECT_EQ(Shapes({kOneHot,
                    {{{2, 3}}, Number(7), {Shape{}}, {Shape{}}},
                    {{"axis", int64_t{-1}}}}),
            "[2 3 7]");
  EXPECT_EQ(Shapes({kOneHot,
                    {{{2, 3}}, Number(7), {Shape{}}, {Shape{}}},
                    {{"axis", int64_t{0}}}}),
            "[7 2 3]");
  EXPECT_EQ(Shapes({kRange, {Number(2), Number(9), Number(3)}}), "[3]");
  EXPECT_EQ(Shapes({kRange, {Number(9), Number(2), Number(-3)}}), "[3]");
  EXPECT_EQ(Shapes({kRange, {Number(9), Number(2), Number(3)}}), "[0]");
  EXPECT_EQ(Shapes({kRange, {Number(0), {Shape{}}, Number(1)}}), "[?]");
  EXPECT_EQ(Shapes({kRange, {Number(0), Number(5), Number(0)}}),
            "has a step of 0");
  EXPECT_EQ(Shapes({kFill, {Ints({2, 3}), Number(0)}}), "[2 3]");
  EXPECT_EQ(Shapes({kFill, {Ints({-3}), Number(0)}}),
            "would give tensor 2 a dimension of -3");
  EXPECT_EQ(Shapes({kUnsortedSegmentSum, {{{6, 4}}, {{6}}, Number(3)}}),
            "[3 4]");
  EXPECT_EQ(Shapes({kSegmentSum, {{{6, 4}}, Ints({0, 0, 1, 2, 2, 2})}}),
            "[3 4]");
}

TEST(ShapeRulesTest, DataDecidesSomeSizes) {
  EXPECT_EQ(Shapes({kWhere, {{{2, 3}}}}), "[? 2]");
  EXPECT_EQ(Shapes({kWhere, {In(Shape{3}, KnownInts{1, 0, 5})}}), "[2 1]");
  EXPECT_EQ(Shapes({kUnique, {{{7}}}, {}, 2}), "[?] [7]");
  const In boxes{{100, 4}};
  const In scores{{100}};
  EXPECT_EQ(Shapes({kNonMaxSuppressionV4, {boxes, scores, Number(10)}, {}, 2}),
            "[10] []");
  EXPECT_EQ(Shapes({kNonMaxSuppressionV5, {boxes, scores, {Shape{}}}, {}, 3}),
            "[?] [?] []");
}

TEST(ShapeRulesTest, PaddingAndTilingGrow) {
  EXPECT_EQ(Shapes({kPad, {{{2, 3}}, In(Shape{2, 2}, KnownInts{0, 0, 1, 2})}}),
            "[2 6]");
  EXPECT_EQ(Shapes({kPad, {{{2, 3}}, {{2, 2}}}}), "[? ?]");
  EXPECT_NE(Shapes({kPad, {{{2, 3}}, Ints({1, 1})}}), "[4 3]");
  EXPECT_EQ(Shapes({kTile, {{{2, 3}}, Ints({2, 1})}}), "[4 3]");
  EXPECT_EQ(Shapes({kBroadcastTo, {{{1, 3}}, Ints({4, 3})}}), "[4 3]");
  EXPECT_EQ(Shapes({kBroadcastArgs, {{{2}}, {{4}}}}), "[4]");
  EXPECT_EQ(Shapes({kDilate, {{{3, 1}}, Ints({2, 5}), {Shape{}}}}), "[5 1]");
}

TEST(ShapeRulesTest, ReductionsDropOrKeepAxes) {
  EXPECT_EQ(Shapes({kMean, {{{2, 3, 4}}, Ints({1, -1})}}), "[2]");
  EXPECT_EQ(Shapes({kMean, {{{2, 3, 4}}, Ints({1, 2})}, {{"keep_dims", true}}}),
            "[2 1 1]");
  EXPECT_EQ(Shapes({kSum, {{{2, 3}}, {{1}}}}), "?");
  EXPECT_EQ(Shapes({kSum, {{{2, 3}}, {{1}}}, {{"keep_dims", true}}}), "[? ?]");
  EXPECT_EQ(Shapes({kArgMax, {{{2, 3, 4}}, Number(-1)}}), "[2 3]");
  EXPECT_EQ(Shapes({kSum, {{{2}}, Ints({1})}}),
            "has the axis 1 of 1 dimensions");
}

TEST(ShapeRulesTest, SpectraAreHalves) {
  EXPECT_EQ(Shapes({kRfft2d, {{{1, 1, 512}}, Ints({1, 512})}}), "[1 1 257]");
  EXPECT_EQ(Shapes({kComplexAbs, {{{1, 1, 257}}}}), "[1 1 257]");
}

TEST(ShapeRulesTest, StableHloOptionsStateTheShape) {
  EXPECT_EQ(Shapes({kStablehloTranspose,
                    {{{2, 3}}},
                    {{"permutation", KnownInts{1, 0}}}}),
            "[3 2]");
  EXPECT_EQ(Shapes({kStablehloSlice,
                    {{{9, 4}}},
                    {{"start_indices", KnownInts{1, 0}},
                     {"limit_indices", KnownInts{8, 4}},
                     {"strides", KnownInts{2, 1}}}}),
            "[4 4]");
  EXPECT_EQ(Shapes({kStablehloPad,
                    {{{3}}, {Shape{}}},
                    {{"edge_padding_low", KnownInts{-1}},
                     {"edge_padding_high", KnownInts{2}},
                     {"interior_padding", KnownInts{1}}}}),
            "[6]");
  EXPECT_EQ(Shapes({kStablehloConcatenate,
                    {{{2, 3}}, {{2, 4}}},
                    {{"dimension", int64_t{1}}}}),
            "[2 7]");
  EXPECT_EQ(Shapes({kStablehloDotGeneral, {{{2, 3}}, {{3, 4}}}}), "no rule");
}

// No operator brings a rule down, whatever it is given.
TEST(ShapeRulesTest, NoRuleNeedsInputsOptionsOrOutputs) {
  for (int i = 0; i <= static_cast<int>(kStablehloCase); ++i) {
    const auto kind = static_cast<OpKind>(i);
    for (size_t outputs : {0u, 1u, 3u}) {
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{kOpen},
                                 Shape{2, 0, kOpen, 3, 4}, Shape{3, 3, 3, 3}}) {
        for (size_t inputs = 0; inputs < 6; ++inputs) {
          Shapes({kind, std::vector<In>(inputs, In(shape)), {}, outputs});
          Shapes({kind, std::vector<In>(inputs, LeftOut()), {}, outputs});
          Shapes({kind,
                  std::vector<In>(inputs, Ints({3, kUnknownInt, -7, 0})),
                  {},
                  outputs});
          Shapes({kind, std::vector<In>(inputs, Ints({1})), {}, outputs});
          Shapes({kind, std::vector<In>(inputs, Ints({})), {}, outputs});
        }
      }
    }
  }
}

}  // namespace
}  // namespace stowplan::graph
