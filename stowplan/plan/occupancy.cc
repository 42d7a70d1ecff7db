// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/occupancy.h"

namespace stowplan::plan {

void AppendOccupancy(const Buffer& buffer, BufferId id,
                     std::vector<Occupancy>* out) {
  if (buffer.size == 0) return;
  const ByteRange all = {0, buffer.size};
  Step from = buffer.live.begin;
  for (const Gap& gap : buffer.gaps) {
    if (from < gap.range.begin) {
      out->push_back({id, {from, gap.range.begin}, all, true});
    }
    if (gap.window) {
      out->push_back({id, gap.range, *gap.window, *gap.window == all});
    }
    from = gap.range.end;
  }
  if (from < buffer.live.end) {
    out->push_back({id, {from, buffer.live.end}, all, true});
  }
}

std::vector<Occupancy> OccupancyOf(const Problem& problem) {
  std::vector<Occupancy> all;
  all.reserve(problem.size());
  for (size_t i = 0; i < problem.size(); ++i) {
    AppendOccupancy(problem.buffers()[i], BufferId::FromIndex(i), &all);
  }
  return all;
}

}  // namespace stowplan::plan
