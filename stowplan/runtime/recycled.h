// SPDX-License-Identifier: Apache-2.0
//
// Whose bytes are still there when a run is over.
#pragma once

#include <optional>

#include "stowplan/runtime/program.h"

namespace stowplan::runtime {

// The first operator that wrote over the tensor after its last reader; nothing
// if its bytes are still its own at the end of a run. An operator that works
// in place counts. O(steps * outputs).
std::optional<graph::OperatorRef> OverwriterOf(const Program& program,
                                               graph::TensorRef tensor);

}  // namespace stowplan::runtime
