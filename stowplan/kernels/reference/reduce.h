// SPDX-License-Identifier: Apache-2.0
//
// Reductions along axes, and what picks elements by their rank.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

Result<Needs> PrepareReduce(const Node& node);
Status RunReduce(const Node& node);

Result<Needs> PrepareArg(const Node& node);
Status RunArg(const Node& node);

Result<Needs> PrepareTopK(const Node& node);
Status RunTopK(const Node& node);

}  // namespace stowplan::kernels::reference
