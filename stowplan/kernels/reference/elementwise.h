// SPDX-License-Identifier: Apache-2.0
//
// Operators that work element by element. All may write over an operand of
// the same shape and size.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

Result<Needs> PrepareArithmetic(const Node& node);  // Of two operands.
Status RunAdd(const Node& node);
Status RunSub(const Node& node);
Status RunMul(const Node& node);
Status RunDiv(const Node& node);
Status RunMaximum(const Node& node);
Status RunMinimum(const Node& node);
Status RunSquaredDifference(const Node& node);
Status RunPow(const Node& node);
Status RunFloorDiv(const Node& node);
Status RunFloorMod(const Node& node);
Status RunAtan2(const Node& node);

Result<Needs> PrepareAddN(const Node& node);
Status RunAddN(const Node& node);

Result<Needs> PrepareCompare(const Node& node);
Status RunEqual(const Node& node);
Status RunNotEqual(const Node& node);
Status RunLess(const Node& node);
Status RunLessEqual(const Node& node);
Status RunGreater(const Node& node);
Status RunGreaterEqual(const Node& node);

Result<Needs> PrepareLogical(const Node& node);
Status RunLogicalAnd(const Node& node);
Status RunLogicalOr(const Node& node);
Result<Needs> PrepareLogicalNot(const Node& node);
Status RunLogicalNot(const Node& node);

Result<Needs> PrepareBitwise(const Node& node);
Status RunBitwiseXor(const Node& node);
Status RunRightShift(const Node& node);

Result<Needs> PrepareSelect(const Node& node);
Status RunSelect(const Node& node);
Status RunSelectV2(const Node& node);

Result<Needs> PrepareUnary(const Node& node);
Status RunUnary(const Node& node);

Result<Needs> PreparePrelu(const Node& node);
Status RunPrelu(const Node& node);

Result<Needs> PrepareCast(const Node& node);
Status RunCast(const Node& node);
Result<Needs> PrepareQuantize(const Node& node);
Status RunQuantize(const Node& node);
Result<Needs> PrepareDequantize(const Node& node);
Status RunDequantize(const Node& node);
Result<Needs> PrepareFakeQuant(const Node& node);
Status RunFakeQuant(const Node& node);

}  // namespace stowplan::kernels::reference
