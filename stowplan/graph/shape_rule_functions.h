// SPDX-License-Identifier: Apache-2.0
//
// The rules that the table in shape_rules.cc refers to, by family and file.
// Inputs and options are those of the public operator set.
#pragma once

#include "stowplan/graph/shape_context.h"

namespace stowplan::graph {

// shape_rules_elementwise.cc
void SameShape(ShapeContext& c);       // All outputs have input 0's shape.
void BroadcastShape(ShapeContext& c);  // All inputs, as NumPy does.
void BitcastShape(ShapeContext& c);
void MatrixDiagShape(ShapeContext& c);

// shape_rules_window.cc: kernels that slide.
void Conv2dShape(ShapeContext& c);
void DepthwiseConv2dShape(ShapeContext& c);
void Conv3dShape(ShapeContext& c);
void Pool2dShape(ShapeContext& c);
void TransposeConvShape(ShapeContext& c);
void ResizeShape(ShapeContext& c);

// shape_rules_matrix.cc: products and recurrent networks.
void FullyConnectedShape(ShapeContext& c);
void BatchMatmulShape(ShapeContext& c);
void EmbeddingLookupShape(ShapeContext& c);
void HashtableLookupShape(ShapeContext& c);
void LstmShape(ShapeContext& c);
void SequenceLstmShape(ShapeContext& c);
void BidirectionalLstmShape(ShapeContext& c);
void RnnShape(ShapeContext& c);
void BidirectionalRnnShape(ShapeContext& c);
void SvdfShape(ShapeContext& c);
void Rfft2dShape(ShapeContext& c);

// shape_rules_layout.cc: the same elements in another arrangement.
void ReshapeShape(ShapeContext& c);
void SqueezeShape(ShapeContext& c);
void ExpandDimsShape(ShapeContext& c);
void TransposeShape(ShapeContext& c);
void PackShape(ShapeContext& c);
void UnpackShape(ShapeContext& c);
void ConcatenationShape(ShapeContext& c);
void SplitShape(ShapeContext& c);
void SplitVShape(ShapeContext& c);
void SpaceToDepthShape(ShapeContext& c);
void DepthToSpaceShape(ShapeContext& c);
void SpaceToBatchShape(ShapeContext& c);
void BatchToSpaceShape(ShapeContext& c);

// shape_rules_index.cc: parts of a tensor.
void SliceShape(ShapeContext& c);
void StridedSliceShape(ShapeContext& c);
void GatherShape(ShapeContext& c);
void GatherNdShape(ShapeContext& c);
void TopkShape(ShapeContext& c);
void OneHotShape(ShapeContext& c);
void WhereShape(ShapeContext& c);
void UniqueShape(ShapeContext& c);
void NonMaxSuppressionShape(ShapeContext& c);
void SegmentSumShape(ShapeContext& c);
void UnsortedSegmentShape(ShapeContext& c);
void DetectionPostProcessShape(ShapeContext& c);

// shape_rules_fill.cc: shapes that a tensor's content states.
void ShapeFromInput0(ShapeContext& c);
void ShapeFromInput1(ShapeContext& c);
void ShapeFromInput2(ShapeContext& c);
void ShapeShape(ShapeContext& c);
void ScalarShape(ShapeContext& c);
void OneElementShape(ShapeContext& c);
void RangeShape(ShapeContext& c);
void PadShape(ShapeContext& c);
void TileShape(ShapeContext& c);
void DilateShape(ShapeContext& c);
void BroadcastArgsShape(ShapeContext& c);
void MultinomialShape(ShapeContext& c);
void ReduceShape(ShapeContext& c);
void ArgShape(ShapeContext& c);
void HashtableFindShape(ShapeContext& c);

// shape_rules_stablehlo.cc
void HloTransposeShape(ShapeContext& c);
void HloConcatenateShape(ShapeContext& c);
void HloSliceShape(ShapeContext& c);
void HloPadShape(ShapeContext& c);
void HloSelectShape(ShapeContext& c);

// value_rules_*.cc: the content of small integer outputs, whose shapes are
// known by then.
void ShapeValue(ShapeContext& c);
void RankValue(ShapeContext& c);
void CopyValue(ShapeContext& c);  // The elements of input 0, in their order.
void RangeValue(ShapeContext& c);
void FillValue(ShapeContext& c);
void ZerosValue(ShapeContext& c);
void BroadcastArgsValue(ShapeContext& c);
void ArithmeticValue(ShapeContext& c);  // By the operator's kind.
void UnaryValue(ShapeContext& c);
void SelectValue(ShapeContext& c);
void ReduceValue(ShapeContext& c);
void UnsortedSegmentValue(ShapeContext& c);
void JoinValue(ShapeContext& c);   // PACK, CONCATENATION.
void SplitValue(ShapeContext& c);  // UNPACK, SPLIT, SPLIT_V.
void SliceValue(ShapeContext& c);
void StridedSliceValue(ShapeContext& c);
void GatherValue(ShapeContext& c);
void TransposeValue(ShapeContext& c);
void TileValue(ShapeContext& c);
void BroadcastToValue(ShapeContext& c);
void ReverseValue(ShapeContext& c);

}  // namespace stowplan::graph
