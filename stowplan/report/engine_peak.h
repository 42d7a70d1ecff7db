// SPDX-License-Identifier: Apache-2.0
//
// The step at which most is alive in an engine's arenas.
#pragma once

#include "stowplan/graph/model.h"
#include "stowplan/report/document.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::report {

// Fills `peak` and marks its buffers. REQUIRES: tensors, buffers and steps are
// there. O(steps + buffers * operands of the step's operators).
void FindEnginePeak(const graph::Model& model,
                    const schedule::Timeline& timeline, Document* document);

}  // namespace stowplan::report
