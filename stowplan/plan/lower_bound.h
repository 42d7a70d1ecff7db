// SPDX-License-Identifier: Apache-2.0
//
// The least peak that any plan of a problem can have, as far as one step can
// prove it. It shares no code with any solver.
#pragma once

#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/buffer.h"
#include "stowplan/plan/problem.h"

namespace stowplan::plan {

// `bytes` is a lower bound on the peak of every valid plan, and the rest is
// its proof: at `step` the buffers `live` are in use at once.
struct Bound {
  Bytes bytes = 0;
  Step step = 0;
  std::vector<BufferId> live;  // Ascending.
};

// The largest of, over all steps,
//
//   sum of AlignUp(size, a) - the largest padding AlignUp(size, a) - size
//
// of the buffers in use, where `a` is the least alignment in the problem, of
// the ends of the pinned buffers, and of each buffer's own size. Why it holds: stack the buffers of a
// step by offset. Each offset is a multiple of `a`, so from one offset to the
// next there are at least AlignUp(size, a) bytes; only the topmost buffer can
// do without its padding. At a step at which some buffer is reduced to a
// window the plain sum is taken, since a window need not be aligned.
//
//   offset                 a = 64: 100 B and 30 B need 64 + 100 = 164 bytes
//    164 +------+          in one order and 128 + 30 = 158 in the other; the
//        | 100  |          bound is 128 + 64 - max(28, 34) = 158.
//     64 +------+
//     30 +--30--+
//      0 +------+ step
//
// If two steps give the same bound, the earlier one. 0 and no buffers for an
// empty problem. O(n log n).
Bound LowerBound(const Problem& problem);

}  // namespace stowplan::plan
