// SPDX-License-Identifier: Apache-2.0
//
// SOFTMAX of 16 bits.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

void WideSoftmax(const Node& node);

}  // namespace stowplan::kernels::reference
