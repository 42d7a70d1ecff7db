// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/validate.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "stowplan/plan/occupancy.h"

namespace stowplan::plan {
namespace {

constexpr Bytes kLimit = Bytes{1} << 62;

std::optional<Violation> CheckOffsets(const Problem& problem,
                                      const Plan& plan) {
  using Rule = Violation::Rule;
  for (size_t i = 0; i < problem.size(); ++i) {
    const Buffer& buffer = problem.buffers()[i];
    const Bytes offset = plan.offsets[i];
    const BufferId id = BufferId::FromIndex(i);
    auto broken = [&](Rule rule) {
      return Violation{rule, id, {}, 0, {offset, offset + buffer.size}};
    };
    if (offset < 0 || offset > kLimit - buffer.size) {
      return Violation{Rule::kRange, id, {}, 0, {offset, offset}};
    }
    if (offset % buffer.alignment != 0) return broken(Rule::kAlignment);
    if (buffer.pinned && *buffer.pinned != offset) return broken(Rule::kPinned);
    if (problem.capacity() && buffer.size > 0 &&
        offset + buffer.size > *problem.capacity()) {
      return broken(Rule::kCapacity);
    }
  }
  return std::nullopt;
}

// A rectangle at its place in the arena.
struct Placed {
  LiveRange range;
  ByteRange bytes;
  BufferId buffer;
};

std::vector<Placed> Place(const Problem& problem, const Plan& plan) {
  std::vector<Placed> all;
  for (const Occupancy& part : OccupancyOf(problem)) {
    const Bytes offset = plan.offset(part.buffer);
    all.push_back({part.range,
                   {offset + part.bytes.begin, offset + part.bytes.end},
                   part.buffer});
  }
  return all;
}

Violation Overlap(const Placed& a, const Placed& b) {
  const bool in_order = a.buffer < b.buffer;
  return {Violation::Rule::kOverlap,
          in_order ? a.buffer : b.buffer,
          in_order ? b.buffer : a.buffer,
          std::max(a.range.begin, b.range.begin),
          {std::max(a.bytes.begin, b.bytes.begin),
           std::min(a.bytes.end, b.bytes.end)}};
}

}  // namespace

std::optional<Violation> Validate(const Problem& problem, const Plan& plan) {
  if (plan.offsets.size() != problem.size()) return Violation{};
  if (auto broken = CheckOffsets(problem, plan)) return broken;

  // Sweep over the steps. At each, the rectangles in use lie in a set by
  // offset. While no two collide, a newcomer can only collide with its
  // neighbours in that set, so two comparisons per rectangle are enough.
  const std::vector<Placed> parts = Place(problem, plan);
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
  auto lower = [&](size_t a, size_t b) {
    return std::tie(parts[a].bytes.begin, a) <
           std::tie(parts[b].bytes.begin, b);
  };
  std::set<size_t, decltype(lower)> in_use(lower);
  for (const Event& event : events) {
    if (!event.begins) {
      in_use.erase(event.part);
      continue;
    }
    const auto here = in_use.insert(event.part).first;
    const Placed& part = parts[event.part];
    if (here != in_use.begin()) {
      const Placed& below = parts[*std::prev(here)];
      if (below.bytes.end > part.bytes.begin) return Overlap(below, part);
    }
    if (std::next(here) != in_use.end()) {
      const Placed& above = parts[*std::next(here)];
      if (part.bytes.end > above.bytes.begin) return Overlap(part, above);
    }
  }
  return std::nullopt;
}

std::string Violation::ToString() const {
  const std::string name = "buffer " + std::to_string(first.value());
  const std::string range = "[" + std::to_string(bytes.begin) + ", " +
                            std::to_string(bytes.end) + ")";
  switch (rule) {
    case Rule::kCount:
      return "the plan does not have exactly one offset per buffer";
    case Rule::kRange:
      return name + " has offset " + std::to_string(bytes.begin) +
             ", which is negative or too large";
    case Rule::kAlignment:
      return name + " at bytes " + range + " is not aligned";
    case Rule::kPinned:
      return name + " is pinned but lies at bytes " + range;
    case Rule::kCapacity:
      return name + " at bytes " + range + " ends behind the capacity";
    case Rule::kOverlap:
      return "buffers " + std::to_string(first.value()) + " and " +
             std::to_string(second.value()) + " both use bytes " + range +
             " at step " + std::to_string(step);
  }
  return "unknown rule";
}

}  // namespace stowplan::plan
