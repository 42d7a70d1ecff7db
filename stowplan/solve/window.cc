// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/window.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "stowplan/plan/metrics.h"
#include "stowplan/plan/validate.h"
#include "stowplan/solve/search_order.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::BufferId;

// Windows of one size that may fail in a row before larger ones are tried.
constexpr int64_t kTries = 8;
constexpr size_t kFirstCount = 48;
constexpr int64_t kNodesPerBuffer = 64;

plan::Step Distance(const plan::LiveRange& range, plan::Step step) {
  if (step < range.begin) return range.begin - step;
  return step < range.end ? 0 : step - range.end + 1;
}

// The free buffers and what they conflict with, pinned where it lies.
class SubProblem {
 public:
  SubProblem(const plan::Problem& problem, const plan::Plan& plan,
             const std::vector<BufferId>& free, Bytes capacity) {
    std::vector<plan::LiveRange> ranges;
    std::vector<bool> is_free(problem.size(), false);
    for (BufferId id : free) {
      ids_.push_back(id);
      buffers_.push_back(problem.buffer(id));
      ranges.push_back(problem.buffer(id).live);
      is_free[id.index()] = true;
    }
    Merge(&ranges);
    for (size_t i = 0; i < problem.size(); ++i) {
      const Buffer& buffer = problem.buffers()[i];
      if (is_free[i] || buffer.size == 0 || !Meets(ranges, buffer.live)) {
        continue;
      }
      ids_.push_back(BufferId::FromIndex(i));
      buffers_.push_back(buffer);
      buffers_.back().pinned = plan.offsets[i];
    }
    capacity_ = capacity;
  }

  // Nothing only if the pins make a sum too large, which a valid plan of a
  // valid problem can only do close to 2^62 bytes.
  Result<plan::Problem> ToProblem() const {
    return plan::Problem::Create(buffers_, capacity_);
  }
  void Restore(const plan::Plan& found, plan::Plan* plan) const {
    for (size_t i = 0; i < ids_.size(); ++i) {
      plan->offsets[ids_[i].index()] = found.offsets[i];
    }
  }

 private:
  static void Merge(std::vector<plan::LiveRange>* ranges) {
    std::sort(ranges->begin(), ranges->end(),
              [](const plan::LiveRange& a, const plan::LiveRange& b) {
                return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
              });
    size_t last = 0;
    for (size_t i = 1; i < ranges->size(); ++i) {
      const plan::LiveRange range = (*ranges)[i];
      if (range.begin <= (*ranges)[last].end) {
        (*ranges)[last].end = std::max((*ranges)[last].end, range.end);
      } else {
        (*ranges)[++last] = range;
      }
    }
    if (!ranges->empty()) ranges->resize(last + 1);
  }

  static bool Meets(const std::vector<plan::LiveRange>& ranges,
                    const plan::LiveRange& range) {
    const auto after = std::upper_bound(
        ranges.begin(), ranges.end(), range.begin,
        [](plan::Step step, const plan::LiveRange& r) { return step < r.end; });
    return after != ranges.end() && after->begin < range.end;
  }

  std::vector<BufferId> ids_;
  std::vector<Buffer> buffers_;
  Bytes capacity_ = 0;
};

// The step to look at in try `number`: spread over the live range of the
// first buffer that reaches the peak.
plan::Step CenterOf(const plan::Problem& problem, const plan::Plan& plan,
                    Bytes peak, int64_t number) {
  for (size_t i = 0; i < problem.size(); ++i) {
    const Buffer& buffer = problem.buffers()[i];
    if (buffer.size == 0 || plan.offsets[i] + buffer.size < peak) continue;
    return buffer.live.begin +
           SpreadPart(number, buffer.live.end - buffer.live.begin);
  }
  return 0;
}

}  // namespace

std::vector<BufferId> WindowAround(const plan::Problem& problem,
                                   const plan::Plan& plan, Bytes peak,
                                   plan::Step center, size_t count) {
  std::vector<BufferId> ids;
  for (size_t i = 0; i < problem.size(); ++i) {
    const Buffer& buffer = problem.buffers()[i];
    if (buffer.size > 0 && !buffer.pinned)
      ids.push_back(BufferId::FromIndex(i));
  }
  auto key = [&](BufferId id) {
    const Buffer& buffer = problem.buffer(id);
    const bool stays = plan.offset(id) + buffer.size < peak;
    return std::tuple(stays, Distance(buffer.live, center),
                      buffer.live.end - buffer.live.begin, id);
  };
  std::sort(ids.begin(), ids.end(),
            [&](BufferId a, BufferId b) { return key(a) < key(b); });
  ids.resize(std::min(ids.size(), count));
  std::sort(ids.begin(), ids.end());
  return ids;
}

WindowOutcome ImproveByWindows(const plan::Problem& problem,
                               const ExactOptions& options) {
  WindowOutcome outcome;
  outcome.plan = *options.incumbent;
  outcome.peak = plan::Peak(problem, outcome.plan);
  size_t count = kFirstCount;
  int64_t failed = 0;
  ExactOptions own = options;
  own.incumbent.reset();
  own.windows = false;
  own.progress = nullptr;
  while (outcome.peak > options.lower_bound &&
         outcome.nodes < options.max_nodes) {
    if (options.stop.stop_requested() ||
        (options.deadline &&
         std::chrono::steady_clock::now() >= *options.deadline)) {
      break;
    }
    const plan::Step center =
        CenterOf(problem, outcome.plan, outcome.peak, failed % kTries);
    const std::vector<BufferId> free =
        WindowAround(problem, outcome.plan, outcome.peak, center, count);
    const SubProblem sub(problem, outcome.plan, free, outcome.peak - 1);
    const Result<plan::Problem> window = sub.ToProblem();
    if (!window) break;
    own.max_nodes =
        std::min(options.max_nodes - outcome.nodes,
                 kNodesPerBuffer * static_cast<int64_t>(window->size()));
    const ExactOutcome found = SolveExact(*window, own);
    // Building a window is work, too, and so are restarts that end at once:
    // each begins with all that lies in it, pinned or not.
    outcome.nodes =
        std::min(options.max_nodes, outcome.nodes + found.nodes +
                                        static_cast<int64_t>(window->size()));
    outcome.hash = (outcome.hash ^ found.search_hash) * 0x100000001B3u;
    if (found.plan) {
      sub.Restore(*found.plan, &outcome.plan);
      outcome.peak = plan::Peak(problem, outcome.plan);
      failed = 0;
    } else if (++failed % kTries == 0) {
      if (free.size() < count) break;
      count *= 2;
    }
    if (options.progress) {
      options.progress({outcome.nodes, outcome.peak, options.lower_bound});
    }
  }
  return outcome;
}

}  // namespace stowplan::solve
