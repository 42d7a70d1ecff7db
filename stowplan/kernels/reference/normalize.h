// SPDX-License-Identifier: Apache-2.0
//
// Operators over whole rows of the last axis.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

Result<Needs> PrepareSoftmax(const Node& node);
Status RunSoftmax(const Node& node);
Result<Needs> PrepareLogSoftmax(const Node& node);
Status RunLogSoftmax(const Node& node);
Result<Needs> PrepareL2Normalization(const Node& node);
Status RunL2Normalization(const Node& node);
Result<Needs> PrepareLocalResponse(const Node& node);
Status RunLocalResponse(const Node& node);
Result<Needs> PrepareCumsum(const Node& node);
Status RunCumsum(const Node& node);

}  // namespace stowplan::kernels::reference
