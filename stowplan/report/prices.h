// SPDX-License-Identifier: Apache-2.0
//
// What the rules cost: the same model under one rule changed.
#pragma once

#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/report/document.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::report {

// One price for each rule that has another value, in a fixed order. They
// compare lower bounds, not plans. REQUIRES: `needs` is of `model`;
// `lower_bound` is plan::LowerBound of its problem.
// Errors: those of FindMemoryNeeds.
Result<std::vector<Price>> FindPrices(const graph::Model& model,
                                      const schedule::MemoryNeeds& needs,
                                      Bytes lower_bound);

}  // namespace stowplan::report
