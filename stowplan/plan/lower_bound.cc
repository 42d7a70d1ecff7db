// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/lower_bound.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "stowplan/base/checked_math.h"
#include "stowplan/plan/occupancy.h"

namespace stowplan::plan {
namespace {

// The buffers in use at one step, as the sweep moves along. Sums cannot
// overflow: Problem invariant.
class Stack {
 public:
  explicit Stack(Bytes unit) : unit_(unit) {}

  void Add(const Occupancy& part) { Count(part, +1); }
  void Remove(const Occupancy& part) { Count(part, -1); }

  Bytes LeastHeight() const {
    if (windows_ > 0) return plain_;
    return padded_ - (paddings_.empty() ? 0 : *paddings_.rbegin());
  }

 private:
  void Count(const Occupancy& part, int sign) {
    const Bytes size = part.bytes.end - part.bytes.begin;
    const Bytes padded = AlignUp(size, unit_);
    plain_ += sign * size;
    padded_ += sign * padded;
    if (!part.whole) windows_ += sign;
    if (padded == size) return;
    if (sign > 0) {
      paddings_.insert(padded - size);
    } else {
      paddings_.erase(paddings_.find(padded - size));
    }
  }

  Bytes unit_;
  Bytes plain_ = 0;
  Bytes padded_ = 0;
  int64_t windows_ = 0;
  std::multiset<Bytes> paddings_;
};

Bytes LeastAlignment(const Problem& problem) {
  std::optional<Bytes> least;
  for (const Buffer& buffer : problem.buffers()) {
    if (buffer.size == 0) continue;
    least = std::min(least.value_or(buffer.alignment), buffer.alignment);
  }
  return least.value_or(1);
}

// The highest end that one buffer has wherever it goes: from its pin, or from
// 0. The latter matters only for buffers that gaps leave without any step.
Bound SingleBound(const Problem& problem) {
  Bound bound;
  for (size_t i = 0; i < problem.size(); ++i) {
    const Buffer& buffer = problem.buffers()[i];
    const Bytes end = buffer.pinned.value_or(0) + buffer.size;
    if (buffer.size == 0 || end <= bound.bytes) continue;
    bound = {end, buffer.live.begin, {BufferId::FromIndex(i)}};
  }
  return bound;
}

}  // namespace

Bound LowerBound(const Problem& problem) {
  const std::vector<Occupancy> parts = OccupancyOf(problem);
  struct Event {
    Step step;
    bool begins;  // Ends come first: ranges are half-open.
    size_t part;
  };
  std::vector<Event> events;
  events.reserve(2 * parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    events.push_back({parts[i].range.begin, true, i});
    events.push_back({parts[i].range.end, false, i});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.step, a.begins, a.part) <
           std::tie(b.step, b.begins, b.part);
  });

  Bound bound;
  Stack stack(LeastAlignment(problem));
  for (size_t i = 0; i < events.size(); ++i) {
    const Occupancy& part = parts[events[i].part];
    events[i].begins ? stack.Add(part) : stack.Remove(part);
    const bool step_done =
        i + 1 == events.size() || events[i + 1].step != events[i].step;
    if (step_done && stack.LeastHeight() > bound.bytes) {
      bound.bytes = stack.LeastHeight();
      bound.step = events[i].step;
    }
  }
  if (Bound single = SingleBound(problem); single.bytes > bound.bytes) {
    return single;
  }
  if (bound.bytes == 0) return bound;
  for (const Occupancy& part : parts) {
    if (part.range.Contains(bound.step)) bound.live.push_back(part.buffer);
  }
  return bound;
}

}  // namespace stowplan::plan
