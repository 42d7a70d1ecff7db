// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and fully connected layers: sums of products with weights.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

Result<Needs> PrepareConv2d(const Node& node);
Status RunConv2d(const Node& node);

Result<Needs> PrepareDepthwiseConv2d(const Node& node);
Status RunDepthwiseConv2d(const Node& node);

Result<Needs> PrepareTransposeConv(const Node& node);
Status RunTransposeConv(const Node& node);

Result<Needs> PrepareFullyConnected(const Node& node);
Status RunFullyConnected(const Node& node);

Result<Needs> PrepareBatchMatmul(const Node& node);
Status RunBatchMatmul(const Node& node);

}  // namespace stowplan::kernels::reference
