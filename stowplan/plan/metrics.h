// SPDX-License-Identifier: Apache-2.0
//
// Figures about a plan, each defined once, here.
#pragma once

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"

namespace stowplan::plan {

// The arena a plan needs: the highest end of a buffer; 0 for none. O(n).
// REQUIRES: one offset per buffer.
Bytes Peak(const Problem& problem, const Plan& plan);

struct Metrics {
  Bytes peak = 0;
  Bytes naive = 0;     // Sum of all sizes: what it takes without any reuse.
  Bytes max_live = 0;  // Largest sum of sizes in use at one step, unaligned.
  Bytes lower_bound = 0;
  Bytes gap = 0;              // peak - lower_bound.
  Bytes alignment_waste = 0;  // lower_bound - max_live: alignment's price.
  double fragmentation = 0;   // (peak - max_live) / peak; 0 for an empty arena.
};

// O(n log n). REQUIRES: one offset per buffer.
Metrics ComputeMetrics(const Problem& problem, const Plan& plan);

// The largest sum of the sizes in use at one step, without any padding.
// O(n log n).
Bytes MaxLiveBytes(const Problem& problem);

}  // namespace stowplan::plan
