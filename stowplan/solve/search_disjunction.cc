// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_disjunction.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "stowplan/base/checked_math.h"
#include "stowplan/plan/live_range.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;

// Over so many pairs of conflicting buffers the search does not begin.
constexpr size_t kMostDisjunctions = size_t{1} << 21;
// So many pairs are looked at in about the time of a node elsewhere.
constexpr size_t kPairsPerNode = 1024;

struct Part {
  plan::LiveRange range;
  ByteRange bytes;
};

std::vector<Part> PartsOf(const Buffer& buffer) {
  std::vector<Part> parts;
  if (buffer.size == 0) return parts;
  plan::Step from = buffer.live.begin;
  for (const plan::Gap& gap : buffer.gaps) {
    if (from < gap.range.begin) {
      parts.push_back({{from, gap.range.begin}, {0, buffer.size}});
    }
    if (gap.window) parts.push_back({gap.range, *gap.window});
    from = gap.range.end;
  }
  if (from < buffer.live.end) {
    parts.push_back({{from, buffer.live.end}, {0, buffer.size}});
  }
  return parts;
}

// offset(j) - offset(i) is not in the open interval (low, high).
struct Disjunction {
  int32_t i, j;
  Bytes low, high;
};

// offset(to) >= offset(from) + distance.
struct Edge {
  int32_t to;
  Bytes distance;
};

std::vector<Disjunction> DisjunctionsOf(const plan::Problem& problem) {
  std::vector<std::vector<Part>> parts;
  for (const Buffer& buffer : problem.buffers()) {
    parts.push_back(PartsOf(buffer));
  }
  std::vector<Disjunction> all;
  std::vector<std::pair<Bytes, Bytes>> forbidden;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j) {
      if (!Intersects(problem.buffers()[i].live, problem.buffers()[j].live)) {
        continue;
      }
      forbidden.clear();
      for (const Part& a : parts[i]) {
        for (const Part& b : parts[j]) {
          if (!Intersects(a.range, b.range)) continue;
          forbidden.emplace_back(a.bytes.begin - b.bytes.end,
                                 a.bytes.end - b.bytes.begin);
        }
      }
      // Open intervals that share a point are one; touching ones are not.
      std::sort(forbidden.begin(), forbidden.end());
      for (size_t k = 0; k < forbidden.size();) {
        auto [low, high] = forbidden[k++];
        while (k < forbidden.size() && forbidden[k].first < high) {
          high = std::max(high, forbidden[k++].second);
        }
        all.push_back(
            {static_cast<int32_t>(i), static_cast<int32_t>(j), low, high});
      }
      if (all.size() > kMostDisjunctions) return all;
    }
  }
  return all;
}

class Search {
 public:
  Search(const plan::Problem& problem, Bytes limit, SearchBudget* budget)
      : problem_(problem),
        limit_(limit),
        budget_(*budget),
        disjunctions_(DisjunctionsOf(problem)),
        offsets_(problem.size(), 0),
        edges_(problem.size()) {}

  DisjunctionOutcome Run() {
    DisjunctionOutcome outcome;
    if (disjunctions_.size() > kMostDisjunctions) {
      budget_.Stop();
      return outcome;
    }
    next_bound_ = std::numeric_limits<Bytes>::max();
    if (Begin() && Solve()) {
      outcome.plan = plan::Plan{offsets_};
    } else if (!budget_.stopped()) {
      outcome.next_bound = next_bound_;
    }
    return outcome;
  }

 private:
  bool Begin() {
    for (size_t i = 0; i < problem_.size(); ++i) {
      const Buffer& buffer = problem_.buffers()[i];
      offsets_[i] = buffer.pinned.value_or(0);
      if (buffer.size > 0 && !Fits(i, offsets_[i])) return false;
    }
    return true;
  }

  // Whether buffer `i` may lie at `offset`; a failure is a proof about the
  // least peak of what is being tried.
  bool Fits(size_t i, Bytes offset) {
    const Buffer& buffer = problem_.buffers()[i];
    if (buffer.pinned) {
      if (offset > *buffer.pinned) return false;  // At no limit.
    }
    if (offset + buffer.size <= limit_) return true;
    next_bound_ = std::min(next_bound_, offset + buffer.size);
    return false;
  }

  bool Raise(size_t i, Bytes offset) {
    const Buffer& buffer = problem_.buffers()[i];
    offset = AlignUp(offset, buffer.alignment);
    if (offset <= offsets_[i]) return true;
    if (!Fits(i, offset)) return false;
    undo_.push_back({i, offsets_[i]});
    offsets_[i] = offset;
    queue_.push_back(i);
    return true;
  }

  // Adds an edge and moves buffers up until every edge holds.
  bool Add(size_t from, Edge edge) {
    edges_[from].push_back(edge);
    added_.push_back(from);
    queue_.clear();
    if (!Raise(static_cast<size_t>(edge.to), offsets_[from] + edge.distance)) {
      return false;
    }
    for (size_t head = 0; head < queue_.size(); ++head) {
      const size_t i = queue_[head];
      // A long cascade is work, too, and has to end with the budget.
      if ((head & 0xFF) == 0xFF && !budget_.Spend(i)) return false;
      for (const Edge& next : edges_[i]) {
        if (!Raise(static_cast<size_t>(next.to), offsets_[i] + next.distance)) {
          return false;
        }
      }
    }
    return true;
  }

  bool AddUpper(const Disjunction& d) {
    return Add(static_cast<size_t>(d.i), {d.j, d.high});
  }
  bool AddLower(const Disjunction& d) {
    return Add(static_cast<size_t>(d.j), {d.i, -d.low});
  }

  // Whether raising `i` to `offset` alone breaks nothing.
  bool CanReach(int32_t index, Bytes offset) {
    const size_t i = static_cast<size_t>(index);
    const Buffer& buffer = problem_.buffers()[i];
    offset = AlignUp(std::max<Bytes>(offset, 0), buffer.alignment);
    return offset <= offsets_[i] || Fits(i, offset);
  }

  // The violated disjunction to branch on, -1 if none is, -2 if one cannot be
  // mended. One with a single way out comes first, else the largest buffers.
  int64_t Pick() {
    int64_t best = -1;
    Bytes best_weight = -1;
    for (size_t k = 0; k < disjunctions_.size(); ++k) {
      const Disjunction& d = disjunctions_[k];
      const Bytes at_i = offsets_[static_cast<size_t>(d.i)];
      const Bytes at_j = offsets_[static_cast<size_t>(d.j)];
      if (at_j - at_i <= d.low || at_j - at_i >= d.high) continue;
      const bool upper = CanReach(d.j, at_i + d.high);
      const bool lower = CanReach(d.i, at_j - d.low);
      if (!upper && !lower) return -2;
      const Bytes weight =
          upper && lower ? d.high - d.low : std::numeric_limits<Bytes>::max();
      if (weight > best_weight) {
        best = static_cast<int64_t>(k);
        best_weight = weight;
      }
    }
    return best;
  }

  // A decision on the way down, and what to take back after it.
  struct Branch {
    size_t disjunction;
    size_t edges;
    size_t raised;
    bool upper_first;
    int tried = 0;
  };

  // Looks at the state that the decisions so far have led to: true if it is a
  // plan; else it has nothing more to say, or a new decision is on the path.
  bool Look(std::vector<Branch>* path) {
    // A look at all pairs is the work of a node.
    const int64_t cost =
        1 + static_cast<int64_t>(disjunctions_.size() / kPairsPerNode);
    if (!budget_.Spend(added_.size(), cost)) return false;
    const int64_t pick = Pick();
    if (pick == -2) return false;
    if (pick == -1) return true;
    const Disjunction& d = disjunctions_[static_cast<size_t>(pick)];
    // The smaller move first.
    const Bytes difference =
        offsets_[static_cast<size_t>(d.j)] - offsets_[static_cast<size_t>(d.i)];
    path->push_back({static_cast<size_t>(pick), added_.size(), undo_.size(),
                     d.high - difference <= difference - d.low});
    return false;
  }

  // Takes the next way out of the deepest decision that has one left.
  bool Advance(std::vector<Branch>* path) {
    while (!path->empty() && !budget_.stopped()) {
      Branch& branch = path->back();
      UndoTo(branch.edges, branch.raised);
      if (branch.tried == 2) {
        path->pop_back();
        continue;
      }
      const bool upper = (branch.tried++ == 0) == branch.upper_first;
      const Disjunction& d = disjunctions_[branch.disjunction];
      if (upper ? AddUpper(d) : AddLower(d)) return true;
    }
    return false;
  }

  // Depth first, on a path of its own: it may be as long as there are pairs,
  // too long for the stack of calls.
  bool Solve() {
    std::vector<Branch> path;
    while (!Look(&path)) {
      if (!Advance(&path)) return false;
    }
    return true;
  }

  void UndoTo(size_t edges, size_t raised) {
    while (added_.size() > edges) {
      edges_[added_.back()].pop_back();
      added_.pop_back();
    }
    while (undo_.size() > raised) {
      offsets_[undo_.back().first] = undo_.back().second;
      undo_.pop_back();
    }
  }

  const plan::Problem& problem_;
  const Bytes limit_;
  SearchBudget& budget_;
  const std::vector<Disjunction> disjunctions_;
  std::vector<Bytes> offsets_;  // The least that the decisions so far allow.
  std::vector<std::vector<Edge>> edges_;
  std::vector<size_t> added_;
  std::vector<std::pair<size_t, Bytes>> undo_;
  std::vector<size_t> queue_;
  Bytes next_bound_ = 0;
};

}  // namespace

DisjunctionOutcome SearchDisjunctions(const plan::Problem& problem, Bytes limit,
                                      SearchBudget* budget) {
  return Search(problem, limit, budget).Run();
}

}  // namespace stowplan::solve
