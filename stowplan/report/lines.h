// SPDX-License-Identifier: Apache-2.0
//
// The plan as lines that a script reads with a regular expression.
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// One line for each tensor that lies in the arena, in the order of the
// document, and the arena's size at the end:
//
//   ArenaAlloc: tensor=12 size=12800 offset=512
//   ArenaAlloc: tensor=3 size=64 offset=0 subgraph=1
//   ArenaAlloc: scratch_of=7 size=4096 offset=1024
//   TotalArenaSize: 1048576
//
// `size` counts the bytes of the value, before rounding. Tensors that share
// bytes have a line each. O(document).
std::string ToLines(const Document& document);

}  // namespace stowplan::report
