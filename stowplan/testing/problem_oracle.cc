// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/problem_oracle.h"

#include <algorithm>
#include <set>

namespace stowplan::testing {
namespace {

using plan::Buffer;
using plan::Plan;
using plan::Problem;
using plan::Step;

// Between two of these steps nothing changes.
std::set<Step> StepsOfChange(const Problem& problem) {
  std::set<Step> steps;
  for (const Buffer& buffer : problem.buffers()) {
    steps.insert(buffer.live.begin);
    for (const plan::Gap& gap : buffer.gaps) {
      steps.insert(gap.range.begin);
      steps.insert(gap.range.end);
    }
  }
  return steps;
}

bool Collide(const Buffer& a, Bytes a_offset, const Buffer& b, Bytes b_offset,
             const std::set<Step>& steps) {
  for (Step step : steps) {
    const std::optional<ByteRange> of_a = UsedAt(a, step);
    const std::optional<ByteRange> of_b = UsedAt(b, step);
    if (!of_a || !of_b) continue;
    if (a_offset + of_a->begin < b_offset + of_b->end &&
        b_offset + of_b->begin < a_offset + of_a->end) {
      return true;
    }
  }
  return false;
}

class BruteForce {
 public:
  explicit BruteForce(const Problem& problem)
      : problem_(problem), steps_(StepsOfChange(problem)) {}

  bool Fits(Bytes peak) {
    offsets_.clear();
    return Place(peak);
  }

 private:
  bool Place(Bytes peak) {
    const size_t next = offsets_.size();
    if (next == problem_.size()) return true;
    const Buffer& buffer = problem_.buffers()[next];
    if (buffer.size == 0) return PlaceAt(buffer.pinned.value_or(0), peak);
    for (Bytes offset = 0; offset + buffer.size <= peak;
         offset += buffer.alignment) {
      if (buffer.pinned && *buffer.pinned != offset) continue;
      if (PlaceAt(offset, peak)) return true;
    }
    return false;
  }

  bool PlaceAt(Bytes offset, Bytes peak) {
    const Buffer& buffer = problem_.buffers()[offsets_.size()];
    for (size_t i = 0; i < offsets_.size(); ++i) {
      if (Collide(buffer, offset, problem_.buffers()[i], offsets_[i], steps_)) {
        return false;
      }
    }
    offsets_.push_back(offset);
    const bool placed = Place(peak);
    offsets_.pop_back();
    return placed;
  }

  const Problem& problem_;
  const std::set<Step> steps_;
  std::vector<Bytes> offsets_;
};

}  // namespace

std::optional<ByteRange> UsedAt(const Buffer& buffer, Step step) {
  if (buffer.size == 0) return std::nullopt;
  if (step < buffer.live.begin || step >= buffer.live.end) return std::nullopt;
  for (const plan::Gap& gap : buffer.gaps) {
    if (gap.range.begin <= step && step < gap.range.end) return gap.window;
  }
  return ByteRange{0, buffer.size};
}

bool IsValidPlan(const Problem& problem, const Plan& plan) {
  if (plan.offsets.size() != problem.size()) return false;
  const std::set<Step> steps = StepsOfChange(problem);
  for (size_t i = 0; i < problem.size(); ++i) {
    const Buffer& buffer = problem.buffers()[i];
    const Bytes offset = plan.offsets[i];
    if (offset < 0 || offset % buffer.alignment != 0) return false;
    if (buffer.pinned.value_or(offset) != offset) return false;
    if (problem.capacity() && offset + buffer.size > *problem.capacity()) {
      return false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (Collide(buffer, offset, problem.buffers()[j], plan.offsets[j],
                  steps)) {
        return false;
      }
    }
  }
  return true;
}

Bytes MaxLoad(const Problem& problem) {
  Bytes most = 0;
  for (Step step : StepsOfChange(problem)) {
    Bytes sum = 0;
    for (const Buffer& buffer : problem.buffers()) {
      const std::optional<ByteRange> used = UsedAt(buffer, step);
      if (used) sum += used->end - used->begin;
    }
    most = std::max(most, sum);
  }
  return most;
}

std::optional<Bytes> LeastPeak(const Problem& problem, Bytes limit) {
  BruteForce brute_force(problem);
  limit = std::min(limit, problem.capacity().value_or(limit));
  for (Bytes peak = 0; peak <= limit; ++peak) {
    if (brute_force.Fits(peak)) return peak;
  }
  return std::nullopt;
}

}  // namespace stowplan::testing
