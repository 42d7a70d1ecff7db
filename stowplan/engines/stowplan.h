// SPDX-License-Identifier: Apache-2.0
//
// Our own runtime's memory in the same terms as that of the other engines.
#pragma once

#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"
#include "stowplan/plan/plan.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::engines {

// One arena and one persistent arena for all subgraphs; nothing is placed
// when the model runs but what only a run can size. O(model).
// REQUIRES: `needs` is of `model`, and `plan` has an offset for each buffer.
Layout PlanStowplan(const graph::Model& model,
                    const schedule::MemoryNeeds& needs, const plan::Plan& plan);

}  // namespace stowplan::engines
