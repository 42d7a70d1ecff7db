// SPDX-License-Identifier: Apache-2.0
//
// What a buffer occupies: its live range cut at its gaps into rectangles of
// steps by bytes. The judge's own view; solvers have theirs.
#pragma once

#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/buffer.h"
#include "stowplan/plan/problem.h"

namespace stowplan::plan {

// At every step of `range` the buffer uses its bytes [bytes.begin,
// bytes.end), counted from its own offset.
struct Occupancy {
  BufferId buffer;
  LiveRange range;
  ByteRange bytes;
  bool whole = true;  // All bytes of the buffer.
};

// The rectangles of one buffer, in ascending order of steps; none for size 0.
void AppendOccupancy(const Buffer& buffer, BufferId id,
                     std::vector<Occupancy>* out);

// Those of all buffers, by id, then by step. O(buffers + gaps).
std::vector<Occupancy> OccupancyOf(const Problem& problem);

}  // namespace stowplan::plan
