// SPDX-License-Identifier: Apache-2.0
//
// TFLM's plan as the layout that all engines share.
#pragma once

#include <vector>

#include "stowplan/engines/tflm.h"
#include "stowplan/engines/tflm_trace.h"
#include "stowplan/engines/tflm_uses.h"

namespace stowplan::engines {

// Fills `plan->layout`, whose timeline is set, from the rest of the plan.
// Regions: the head; the tail, whose offsets count from its lowest byte; and
// what lies in the arena while TFLM prepares and plans, whose offsets count
// from the arena's start. Of the kernels' temporaries only those are listed
// that decide the prepare phase. O(model).
void FillTflmLayout(const graph::Model& model, const TflmOptions& options,
                    const TflmUses& uses, const TflmTrace& trace,
                    TflmPlan* plan);

}  // namespace stowplan::engines
