// SPDX-License-Identifier: Apache-2.0
//
// What TFLM keeps beside tensors and scratch.
#pragma once

#include "stowplan/report/engine_document.h"

namespace stowplan::report {

// REQUIRES: `plan.tflm` is not null. O(pieces).
TflmFigures TflmFiguresOf(const EnginePlan& plan);

}  // namespace stowplan::report
