// SPDX-License-Identifier: Apache-2.0
//
// An operator of one's own, start to end: "MedianFilter", the median of every
// element and its two neighbours along the last axis (at the ends of two).
// It takes float32, works in place, and needs one row of scratch.
#pragma once

#include "stowplan/base/error.h"
#include "stowplan/kernels/registry.h"

namespace stowplan::examples {

// Afterwards the registry's interpreters run the operator.
Status AddMedianFilter(kernels::Registry* registry);

}  // namespace stowplan::examples
