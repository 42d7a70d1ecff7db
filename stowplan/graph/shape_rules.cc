// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/shape_rules.h"

#include <array>

#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {
namespace {

// Kinds without a row keep the shapes that the file states.
constexpr auto kRules = std::to_array<ShapeRule>({
    // One operand, element by element or row by row.
    {OpKind::kFloor, SameShape},
    {OpKind::kLogistic, SameShape},
    {OpKind::kRelu, SameShape},
    {OpKind::kReluN1To1, SameShape},
    {OpKind::kRelu6, SameShape},
    {OpKind::kTanh, SameShape},
    {OpKind::kSoftmax, SameShape},
    {OpKind::kLogSoftmax, SameShape},
    {OpKind::kExp, SameShape},
    {OpKind::kSin, SameShape},
    {OpKind::kCos, SameShape},
    {OpKind::kLog, SameShape},
    {OpKind::kSqrt, SameShape},
    {OpKind::kRsqrt, SameShape},
    {OpKind::kFakeQuant, SameShape},
    {OpKind::kLeakyRelu, SameShape},
    {OpKind::kCeil, SameShape},
    {OpKind::kElu, SameShape},
    {OpKind::kRound, SameShape},
    {OpKind::kHardSwish, SameShape},
    {OpKind::kQuantize, SameShape},
    {OpKind::kDequantize, SameShape},
    {OpKind::kDensify, SameShape},
    {OpKind::kGelu, SameShape},
    {OpKind::kRelu0To1, SameShape},
    {OpKind::kSign, SameShape},
    {OpKind::kL2Normalization, SameShape},
    {OpKind::kLocalResponseNormalization, SameShape},
    {OpKind::kCumsum, SameShape},
    {OpKind::kPrelu, SameShape},
    {OpKind::kReverseSequence, SameShape},
    {OpKind::kMatrixSetDiag, SameShape},
    {OpKind::kDynamicUpdateSlice, SameShape},
    {OpKind::kBucketize, SameShape},
    {OpKind::kImag, SameShape},
    {OpKind::kReal, SameShape},
    {OpKind::kComplexAbs, SameShape},
    {OpKind::kAddN, SameShape},
    {OpKind::kNeg, SameShape, UnaryValue},
    {OpKind::kAbs, SameShape, UnaryValue},
    {OpKind::kSquare, SameShape, UnaryValue},
    {OpKind::kLogicalNot, SameShape, UnaryValue},
    {OpKind::kCast, SameShape, UnaryValue},
    {OpKind::kZerosLike, SameShape, ZerosValue},
    {OpKind::kReverseV2, SameShape, ReverseValue},
    {OpKind::kBitcast, BitcastShape},
    {OpKind::kMatrixDiag, MatrixDiagShape},
    // Operands that broadcast.
    {OpKind::kAdd, BroadcastShape, ArithmeticValue},
    {OpKind::kSub, BroadcastShape, ArithmeticValue},
    {OpKind::kMul, BroadcastShape, ArithmeticValue},
    {OpKind::kDiv, BroadcastShape, ArithmeticValue},
    {OpKind::kFloorDiv, BroadcastShape, ArithmeticValue},
    {OpKind::kFloorMod, BroadcastShape, ArithmeticValue},
    {OpKind::kMaximum, BroadcastShape, ArithmeticValue},
    {OpKind::kMinimum, BroadcastShape, ArithmeticValue},
    {OpKind::kEqual, BroadcastShape, ArithmeticValue},
    {OpKind::kNotEqual, BroadcastShape, ArithmeticValue},
    {OpKind::kLess, BroadcastShape, ArithmeticValue},
    {OpKind::kLessEqual, BroadcastShape, ArithmeticValue},
    {OpKind::kGreater, BroadcastShape, ArithmeticValue},
    {OpKind::kGreaterEqual, BroadcastShape, ArithmeticValue},
    {OpKind::kLogicalAnd, BroadcastShape, ArithmeticValue},
    {OpKind::kLogicalOr, BroadcastShape, ArithmeticValue},
    {OpKind::kPow, BroadcastShape},
    {OpKind::kSquaredDifference, BroadcastShape},
    {OpKind::kAtan2, BroadcastShape},
    {OpKind::kBitwiseXor, BroadcastShape},
    {OpKind::kRightShift, BroadcastShape},
    {OpKind::kSelectV2, BroadcastShape, SelectValue},
    {OpKind::kSelect, HloSelectShape, SelectValue},
    // Kernels that slide, products, recurrent networks.
    {OpKind::kConv2d, Conv2dShape},
    {OpKind::kDepthwiseConv2d, DepthwiseConv2dShape},
    {OpKind::kConv3d, Conv3dShape},
    {OpKind::kAveragePool2d, Pool2dShape},
    {OpKind::kMaxPool2d, Pool2dShape},
    {OpKind::kL2Pool2d, Pool2dShape},
    {OpKind::kTransposeConv, TransposeConvShape},
    {OpKind::kConv3dTranspose, TransposeConvShape},
    {OpKind::kResizeBilinear, ResizeShape},
    {OpKind::kResizeNearestNeighbor, ResizeShape},
    {OpKind::kFullyConnected, FullyConnectedShape},
    {OpKind::kBatchMatmul, BatchMatmulShape},
    {OpKind::kEmbeddingLookup, EmbeddingLookupShape},
    {OpKind::kHashtableLookup, HashtableLookupShape},
    {OpKind::kLstm, LstmShape},
    {OpKind::kUnidirectionalSequenceLstm, SequenceLstmShape},
    {OpKind::kBidirectionalSequenceLstm, BidirectionalLstmShape},
    {OpKind::kRnn, RnnShape},
    {OpKind::kUnidirectionalSequenceRnn, RnnShape},
    {OpKind::kBidirectionalSequenceRnn, BidirectionalRnnShape},
    {OpKind::kSvdf, SvdfShape},
    {OpKind::kRfft2d, Rfft2dShape},
    // The same elements in another arrangement.
    {OpKind::kReshape, ReshapeShape, CopyValue},
    {OpKind::kSqueeze, SqueezeShape, CopyValue},
    {OpKind::kExpandDims, ExpandDimsShape, CopyValue},
    {OpKind::kTranspose, TransposeShape, TransposeValue},
    {OpKind::kPack, PackShape, JoinValue},
    {OpKind::kUnpack, UnpackShape, SplitValue},
    {OpKind::kConcatenation, ConcatenationShape, JoinValue},
    {OpKind::kSplit, SplitShape, SplitValue},
    {OpKind::kSplitV, SplitVShape, SplitValue},
    {OpKind::kSpaceToDepth, SpaceToDepthShape},
    {OpKind::kDepthToSpace, DepthToSpaceShape},
    {OpKind::kSpaceToBatchNd, SpaceToBatchShape},
    {OpKind::kBatchToSpaceNd, BatchToSpaceShape},
    // Parts of a tensor.
    {OpKind::kSlice, SliceShape, SliceValue},
    {OpKind::kStridedSlice, StridedSliceShape, StridedSliceValue},
    {OpKind::kGather, GatherShape, GatherValue},
    {OpKind::kGatherNd, GatherNdShape},
    {OpKind::kTopkV2, TopkShape},
    {OpKind::kOneHot, OneHotShape},
    {OpKind::kUnsortedSegmentProd, UnsortedSegmentShape, UnsortedSegmentValue},
    {OpKind::kUnsortedSegmentMax, UnsortedSegmentShape, UnsortedSegmentValue},
    {OpKind::kUnsortedSegmentSum, UnsortedSegmentShape, UnsortedSegmentValue},
    {OpKind::kUnsortedSegmentMin, UnsortedSegmentShape, UnsortedSegmentValue},
    // Sums along axes.
    {OpKind::kMean, ReduceShape},
    {OpKind::kSum, ReduceShape, ReduceValue},
    {OpKind::kReduceProd, ReduceShape, ReduceValue},
    {OpKind::kReduceMax, ReduceShape, ReduceValue},
    {OpKind::kReduceMin, ReduceShape, ReduceValue},
    {OpKind::kReduceAny, ReduceShape, ReduceValue},
    {OpKind::kReduceAll, ReduceShape, ReduceValue},
    {OpKind::kArgMax, ArgShape},
    {OpKind::kArgMin, ArgShape},
    // Shapes that a tensor states.
    {OpKind::kShape, ShapeShape, ShapeValue},
    {OpKind::kRank, ScalarShape, RankValue},
    {OpKind::kRange, RangeShape, RangeValue},
    {OpKind::kFill, ShapeFromInput0, FillValue},
    {OpKind::kBroadcastTo, ShapeFromInput1, BroadcastToValue},
    {OpKind::kBroadcastArgs, BroadcastArgsShape, BroadcastArgsValue},
    {OpKind::kPad, PadShape},
    {OpKind::kPadv2, PadShape},
    {OpKind::kMirrorPad, PadShape},
    {OpKind::kTile, TileShape, TileValue},
    {OpKind::kDilate, DilateShape},
    {OpKind::kScatterNd, ShapeFromInput2},
    {OpKind::kSparseToDense, ShapeFromInput1},
    {OpKind::kRandomStandardNormal, ShapeFromInput0},
    {OpKind::kRandomUniform, ShapeFromInput0},
    {OpKind::kMultinomial, MultinomialShape},
    {OpKind::kVarHandle, ScalarShape},
    {OpKind::kHashtable, OneElementShape},
    {OpKind::kHashtableSize, OneElementShape},
    {OpKind::kHashtableFind, HashtableFindShape},
    // How much there is depends on the data, unless it is constant.
    {OpKind::kWhere, WhereShape, nullptr, true},
    {OpKind::kUnique, UniqueShape, nullptr, true},
    {OpKind::kNonMaxSuppressionV4, NonMaxSuppressionShape, nullptr, true},
    {OpKind::kNonMaxSuppressionV5, NonMaxSuppressionShape, nullptr, true},
    {OpKind::kSegmentSum, SegmentSumShape, nullptr, true},
    {OpKind::kEmbeddingLookupSparse, nullptr, nullptr, true},
    {OpKind::kSkipGram, nullptr, nullptr, true},
    // StableHLO.
    {OpKind::kStablehloLogistic, SameShape},
    {OpKind::kStablehloAbs, SameShape},
    {OpKind::kStablehloCosine, SameShape},
    {OpKind::kStablehloExponential, SameShape},
    {OpKind::kStablehloFloor, SameShape},
    {OpKind::kStablehloLog, SameShape},
    {OpKind::kStablehloNegate, SameShape},
    {OpKind::kStablehloRsqrt, SameShape},
    {OpKind::kStablehloTanh, SameShape},
    {OpKind::kStablehloConvert, SameShape},
    {OpKind::kStablehloCbrt, SameShape},
    {OpKind::kStablehloDynamicUpdateSlice, SameShape},
    {OpKind::kStablehloScatter, SameShape},
    {OpKind::kStablehloAdd, SameShape},
    {OpKind::kStablehloDivide, SameShape},
    {OpKind::kStablehloMultiply, SameShape},
    {OpKind::kStablehloMaximum, SameShape},
    {OpKind::kStablehloMinimum, SameShape},
    {OpKind::kStablehloAnd, SameShape},
    {OpKind::kStablehloOr, SameShape},
    {OpKind::kStablehloPower, SameShape},
    {OpKind::kStablehloRemainder, SameShape},
    {OpKind::kStablehloSubtract, SameShape},
    {OpKind::kStablehloCompare, SameShape},
    {OpKind::kStablehloShiftLeft, SameShape},
    {OpKind::kStablehloSelect, HloSelectShape},
    {OpKind::kStablehloClamp, HloSelectShape},
    {OpKind::kStablehloTranspose, HloTransposeShape},
    {OpKind::kStablehloConcatenate, HloConcatenateShape},
    {OpKind::kStablehloSlice, HloSliceShape},
    {OpKind::kStablehloPad, HloPadShape},
});

constexpr size_t kKinds = static_cast<size_t>(OpKind::kStablehloCase) + 1;

using RuleByKind = std::array<const ShapeRule*, kKinds>;

const RuleByKind& Index() {
  static const RuleByKind kIndex = [] {
    RuleByKind index = {};
    for (const ShapeRule& rule : kRules) {
      index[static_cast<size_t>(rule.kind)] = &rule;
    }
    return index;
  }();
  return kIndex;
}

// Custom operators that come with the engines.
struct CustomRule {
  std::string_view type;
  ShapeRule rule;
};

constexpr auto kCustomRules = std::to_array<CustomRule>({
    {"TFLite_Detection_PostProcess",
     {OpKind::kCustom, DetectionPostProcessShape}},
});

}  // namespace

const ShapeRule* ShapeRuleOf(const Operator& op) {
  if (op.kind != OpKind::kCustom) {
    return Index()[static_cast<size_t>(op.kind)];
  }
  for (const CustomRule& custom : kCustomRules) {
    if (custom.type == op.type) return &custom.rule;
  }
  return nullptr;
}

}  // namespace stowplan::graph
