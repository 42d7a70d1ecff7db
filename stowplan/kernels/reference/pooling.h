// SPDX-License-Identifier: Apache-2.0
//
// Pooling and resizing of images.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

Result<Needs> PreparePool(const Node& node);
Status RunAveragePool(const Node& node);
Status RunMaxPool(const Node& node);
Status RunL2Pool(const Node& node);

Result<Needs> PrepareResize(const Node& node);
Status RunResizeBilinear(const Node& node);
Status RunResizeNearest(const Node& node);

}  // namespace stowplan::kernels::reference
