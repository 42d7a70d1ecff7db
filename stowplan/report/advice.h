// SPDX-License-Identifier: Apache-2.0
//
// The one sentence that a person looks for: what can help, and what cannot.
#pragma once

#include "stowplan/report/demand.h"
#include "stowplan/report/document.h"

namespace stowplan::report {

// - Planner, if the plan is above what is proved to be needed.
// - Model, if one operator by itself needs as much as the bound: then no plan
//   and no order can do with less, and that is proved.
// - Order, if not.
// REQUIRES: `demand` is of the same model; the document's arena, peak, rows,
// buffers and steps are filled in.
Advice Advise(const Document& document, const Demand& demand);

}  // namespace stowplan::report
