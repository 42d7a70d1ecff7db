// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/metrics.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/occupancy.h"

namespace stowplan::plan {

Bytes Peak(const Problem& problem, const Plan& plan) {
  Bytes peak = 0;
  for (size_t i = 0; i < problem.size(); ++i) {
    const Bytes size = problem.buffers()[i].size;
    if (size > 0) peak = std::max(peak, plan.offsets[i] + size);
  }
  return peak;
}

Bytes MaxLiveBytes(const Problem& problem) {
  std::vector<std::pair<Step, Bytes>> changes;
  for (const Occupancy& part : OccupancyOf(problem)) {
    const Bytes size = part.bytes.end - part.bytes.begin;
    changes.push_back({part.range.begin, size});
    changes.push_back({part.range.end, -size});
  }
  // Pairs sort ends (negative) before begins of the same step.
  std::sort(changes.begin(), changes.end());
  Bytes live = 0;
  Bytes most = 0;
  for (const auto& [step, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return most;
}

Metrics ComputeMetrics(const Problem& problem, const Plan& plan) {
  Metrics metrics;
  metrics.peak = Peak(problem, plan);
  for (const Buffer& buffer : problem.buffers()) metrics.naive += buffer.size;
  metrics.max_live = MaxLiveBytes(problem);
  metrics.lower_bound = LowerBound(problem).bytes;
  metrics.gap = metrics.peak - metrics.lower_bound;
  metrics.alignment_waste = metrics.lower_bound - metrics.max_live;
  if (metrics.peak > 0) {
    metrics.fragmentation =
        static_cast<double>(metrics.peak - metrics.max_live) /
        static_cast<double>(metrics.peak);
  }
  return metrics;
}

}  // namespace stowplan::plan
