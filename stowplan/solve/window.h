// SPDX-License-Identifier: Apache-2.0
//
// Window search: makes a plan better piece by piece where the problem is too
// large to search as a whole (large neighbourhood search; Shaw, 1998).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"
#include "stowplan/solve/exact.h"

namespace stowplan::solve {

// Buffers to be placed anew; all others stay where they are.
//
//   offset   +-----------+
//     peak   |  culprit  |        free: what reaches the peak, and the
//            +--+--+-----+---+    buffers in use nearest to a step of it,
//            |  |  | f r e e |    short ones first
//     --+----+--+--+-+-------+
//       | stays      |  stays
//     --+------------+-------- step
std::vector<plan::BufferId> WindowAround(const plan::Problem& problem,
                                         const plan::Plan& plan, Bytes peak,
                                         plan::Step center, size_t count);

struct WindowOutcome {
  plan::Plan plan;
  Bytes peak = 0;
  int64_t nodes = 0;
  uint64_t hash = 0;
};

// Re-solves window after window by the exact search, with what stays as
// pinned obstacles, and keeps what lowers the peak. Ends at the lower bound
// of the options, when no window of any size helps, or with the budget.
// REQUIRES: the incumbent of the options is valid. Deterministic as
// `SolveExact` is.
WindowOutcome ImproveByWindows(const plan::Problem& problem,
                               const ExactOptions& options);

}  // namespace stowplan::solve
