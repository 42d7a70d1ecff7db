// SPDX-License-Identifier: Apache-2.0
//
// Operators that make values out of shapes, numbers or indices.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

Result<Needs> PrepareShape(const Node& node);
Status RunShape(const Node& node);
Result<Needs> PrepareRank(const Node& node);
Status RunRank(const Node& node);
Result<Needs> PrepareFill(const Node& node);
Status RunFill(const Node& node);
Result<Needs> PrepareRange(const Node& node);
Status RunRange(const Node& node);
Result<Needs> PrepareOneHot(const Node& node);
Status RunOneHot(const Node& node);
Result<Needs> PrepareBroadcastArgs(const Node& node);
Status RunBroadcastArgs(const Node& node);
Result<Needs> PrepareSparseToDense(const Node& node);
Status RunSparseToDense(const Node& node);
Result<Needs> PrepareWhere(const Node& node);
Status ShapesOfWhere(const Node& node, std::span<Shape> shapes);
Status RunWhere(const Node& node);
Result<Needs> PrepareSegments(const Node& node);
Status RunSegments(const Node& node);  // UNSORTED_SEGMENT_SUM, _PROD, ... too.
Result<Needs> PrepareDensify(const Node& node);
Status RunDensify(const Node& node);

}  // namespace stowplan::kernels::reference
