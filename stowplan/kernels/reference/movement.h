// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements and do not look at them.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

// RESHAPE, SQUEEZE, EXPAND_DIMS, BITCAST: the same bytes.
Result<Needs> PrepareView(const Node& node);
Status RunView(const Node& node);

Result<Needs> PrepareConcatenation(const Node& node);
Status RunConcatenation(const Node& node);
Result<Needs> PreparePack(const Node& node);
Status RunPack(const Node& node);
Result<Needs> PrepareUnpack(const Node& node);
Status RunUnpack(const Node& node);
Result<Needs> PrepareSplit(const Node& node);
Status RunSplit(const Node& node);  // SPLIT_V too.

Result<Needs> PrepareSlice(const Node& node);
Status RunSlice(const Node& node);
Result<Needs> PrepareStridedSlice(const Node& node);
Status RunStridedSlice(const Node& node);
Result<Needs> PrepareUpdateSlice(const Node& node);
Status RunUpdateSlice(const Node& node);

Result<Needs> PreparePad(const Node& node);
Status RunPad(const Node& node);  // PADV2 too.
Result<Needs> PrepareMirrorPad(const Node& node);
Status RunMirrorPad(const Node& node);

Result<Needs> PrepareTranspose(const Node& node);
Status RunTranspose(const Node& node);
Result<Needs> PrepareTile(const Node& node);
Status RunTile(const Node& node);
Result<Needs> PrepareBroadcastTo(const Node& node);
Status RunBroadcastTo(const Node& node);
Result<Needs> PrepareReverse(const Node& node);
Status RunReverse(const Node& node);
Result<Needs> PrepareReverseSequence(const Node& node);
Status RunReverseSequence(const Node& node);

Result<Needs> PrepareSpaceDepth(const Node& node);
Status RunSpaceToDepth(const Node& node);
Status RunDepthToSpace(const Node& node);
Result<Needs> PrepareSpaceBatch(const Node& node);
Status RunSpaceToBatch(const Node& node);
Status RunBatchToSpace(const Node& node);

Result<Needs> PrepareGather(const Node& node);
Status RunGather(const Node& node);
Result<Needs> PrepareGatherNd(const Node& node);
Status RunGatherNd(const Node& node);
Result<Needs> PrepareScatterNd(const Node& node);
Status RunScatterNd(const Node& node);
Result<Needs> PrepareEmbedding(const Node& node);
Status RunEmbedding(const Node& node);

}  // namespace stowplan::kernels::reference
