// SPDX-License-Identifier: Apache-2.0
//
// One function for each sort of operator that a RandomModel may get. Internal
// to the generator: random_operators.cc has the table.
#pragma once

#include <string_view>

#include "tests/random/random_model.h"

namespace stowplan::tests {

// Sums of products (random_layers.cc).
Status MakeConv2d(RandomModel* model, std::string_view type);
Status MakeDepthwise(RandomModel* model, std::string_view type);
Status MakeTransposeConv(RandomModel* model, std::string_view type);
Status MakeFullyConnected(RandomModel* model, std::string_view type);
Status MakeBatchMatmul(RandomModel* model, std::string_view type);
Status MakePool(RandomModel* model, std::string_view type);
Status MakeResize(RandomModel* model, std::string_view type);

// Element by element, rows, reductions (random_values.cc).
Status MakeArithmetic(RandomModel* model, std::string_view type);
Status MakeCompare(RandomModel* model, std::string_view type);
Status MakeSelect(RandomModel* model, std::string_view type);
Status MakeUnary(RandomModel* model, std::string_view type);
Status MakeLeakyRelu(RandomModel* model, std::string_view type);
Status MakePrelu(RandomModel* model, std::string_view type);
Status MakeRescale(RandomModel* model, std::string_view type);
Status MakeSoftmax(RandomModel* model, std::string_view type);
Status MakeReduce(RandomModel* model, std::string_view type);
Status MakeArg(RandomModel* model, std::string_view type);
Status MakeTopK(RandomModel* model, std::string_view type);
Status MakeCumsum(RandomModel* model, std::string_view type);

// Movement (random_movement.cc).
Status MakeReshape(RandomModel* model, std::string_view type);
Status MakeJoin(RandomModel* model, std::string_view type);
Status MakeSplit(RandomModel* model, std::string_view type);
Status MakeSlice(RandomModel* model, std::string_view type);
Status MakeStridedSlice(RandomModel* model, std::string_view type);
Status MakePad(RandomModel* model, std::string_view type);
Status MakeTranspose(RandomModel* model, std::string_view type);
Status MakeTile(RandomModel* model, std::string_view type);
Status MakeBroadcastTo(RandomModel* model, std::string_view type);
Status MakeReverse(RandomModel* model, std::string_view type);
Status MakeSpaceDepth(RandomModel* model, std::string_view type);
Status MakeSpaceBatch(RandomModel* model, std::string_view type);
Status MakeGather(RandomModel* model, std::string_view type);

}  // namespace stowplan::tests
