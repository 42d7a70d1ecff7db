// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on two quantised operands.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

// a + b or, with a sign of -1, a - b.
Status AddIntegers(const Node& node, int32_t sign);
Status MultiplyIntegers(const Node& node);
Status DivideIntegers(const Node& node);
Status SquareDifferences(const Node& node);

// Errors if an operator of two operands has no code for operands of its type,
// quantised or not.
Status CheckOperator(const Node& node, bool quantized);

}  // namespace stowplan::kernels::reference
