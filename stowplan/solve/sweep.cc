// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/sweep.h"

#include <algorithm>
#include <limits>

#include "stowplan/base/checked_math.h"
#include "stowplan/solve/radix_order.h"

namespace stowplan::solve {
namespace {

constexpr Bytes kTop = std::numeric_limits<Bytes>::max();

// The bytes that no live buffer uses, as sorted, disjoint holes that do not
// touch; the last one has no end.
class Holes {
 public:
  std::vector<ByteRange>::const_iterator begin() const {
    return holes_.begin();
  }

  // REQUIRES: [begin, end) lies in one hole.
  void Take(Bytes begin, Bytes end) {
    const auto hole = Find(begin);
    if (hole->begin == begin && hole->end == end) {
      holes_.erase(hole);
    } else if (hole->begin == begin) {
      hole->begin = end;
    } else if (hole->end == end) {
      hole->end = begin;
    } else {
      const Bytes rest = hole->end;
      hole->end = begin;
      holes_.insert(hole + 1, {end, rest});
    }
  }

  // REQUIRES: no byte of [begin, end) is in a hole.
  void Release(Bytes begin, Bytes end) {
    const auto above = Find(begin);  // The last hole reaches to the top.
    const bool joins_above = above->begin == end;
    const bool joins_below =
        above != holes_.begin() && (above - 1)->end == begin;
    if (joins_above && joins_below) {
      (above - 1)->end = above->end;
      holes_.erase(above);
    } else if (joins_above) {
      above->begin = begin;
    } else if (joins_below) {
      (above - 1)->end = end;
    } else {
      holes_.insert(above, {begin, end});
    }
  }

 private:
  // The first hole that ends above `bytes`.
  std::vector<ByteRange>::iterator Find(Bytes bytes) {
    return std::partition_point(
        holes_.begin(), holes_.end(),
        [&](const ByteRange& hole) { return hole.end <= bytes; });
  }

  std::vector<ByteRange> holes_ = {{0, kTop}};
};

// A rectangle at its place.
struct Block {
  int32_t first = 0;
  int32_t last = 0;
  ByteRange bytes;
};

// Fixed rectangles by birth, and again by death.
struct FixedBlocks {
  std::vector<Block> by_birth;
  std::vector<Block> by_death;
};

FixedBlocks CollectFixed(const Sections& sections,
                         const std::vector<bool>& is_fixed,
                         const plan::Plan& plan) {
  FixedBlocks fixed;
  for (size_t i = 0; i < is_fixed.size(); ++i) {
    if (!is_fixed[i]) continue;
    for (const Piece& piece : sections.PiecesOf(static_cast<Index>(i))) {
      fixed.by_birth.push_back(
          {piece.first,
           piece.last,
           {plan.offsets[i] + piece.begin, plan.offsets[i] + piece.end}});
    }
  }
  fixed.by_death = fixed.by_birth;
  std::sort(fixed.by_birth.begin(), fixed.by_birth.end(),
            [](const Block& a, const Block& b) { return a.first < b.first; });
  std::sort(fixed.by_death.begin(), fixed.by_death.end(),
            [](const Block& a, const Block& b) { return a.last < b.last; });
  return fixed;
}

class Sweeper {
 public:
  explicit Sweeper(FixedBlocks fixed) : fixed_(std::move(fixed)) {}

  // Fixed buffers die and are born until section `now`.
  void MoveTo(int32_t now) {
    while (born_ < fixed_.by_birth.size() &&
           fixed_.by_birth[born_].first <= now) {
      // What dies before this one is born has to make room first.
      const Block& block = fixed_.by_birth[born_++];
      Bury(block.first);
      holes_.Take(block.bytes.begin, block.bytes.end);
    }
    Bury(now);
  }

  // The lowest offset for a buffer that is born now and dies at `last`.
  Bytes LowestFit(Bytes size, Bytes alignment, int32_t last) {
    CollectObstacles(last);
    auto obstacle = obstacles_.begin();
    for (auto hole = holes_.begin();; ++hole) {
      Bytes offset = AlignUp(hole->begin, alignment);
      while (offset <= hole->end - size) {
        while (obstacle != obstacles_.end() && obstacle->end <= offset) {
          ++obstacle;
        }
        if (obstacle == obstacles_.end() || obstacle->begin >= offset + size) {
          return offset;
        }
        offset = AlignUp(obstacle->end, alignment);
      }
    }
  }

  Holes& holes() { return holes_; }

 private:
  void Bury(int32_t now) {
    while (dead_ < fixed_.by_death.size() &&
           fixed_.by_death[dead_].last <= now) {
      const Block& block = fixed_.by_death[dead_++];
      holes_.Release(block.bytes.begin, block.bytes.end);
    }
  }

  void CollectObstacles(int32_t last) {
    obstacles_.clear();
    for (size_t i = born_;
         i < fixed_.by_birth.size() && fixed_.by_birth[i].first < last; ++i) {
      obstacles_.push_back(fixed_.by_birth[i].bytes);
    }
    std::sort(obstacles_.begin(), obstacles_.end(),
              [](const ByteRange& a, const ByteRange& b) {
                return a.begin < b.begin;
              });
  }

  FixedBlocks fixed_;
  size_t born_ = 0;  // Those of fixed_.by_birth before it have been born.
  size_t dead_ = 0;  // The same with death.
  Holes holes_;
  std::vector<ByteRange> obstacles_;  // Kept for its memory only.
};

// The buffers that the sweep places, by death.
std::vector<Index> ByDeath(const Sections& sections,
                           const std::vector<Index>& order,
                           const std::vector<bool>& is_fixed) {
  std::vector<Index> swept;
  std::vector<int64_t> last;
  for (Index index : order) {
    if (is_fixed[index] || sections.PiecesOf(index).empty()) continue;
    swept.push_back(index);
    last.push_back(sections.SpanOf(index).last);
  }
  RadixOrder by_death(swept.size());
  by_death.By(last);
  std::vector<Index> result;
  result.reserve(swept.size());
  for (uint32_t i : by_death.indices()) result.push_back(swept[i]);
  return result;
}

}  // namespace

void SweepAround(const plan::Problem& problem, const Sections& sections,
                 const std::vector<Index>& order,
                 const std::vector<bool>& is_fixed, plan::Plan* plan) {
  Sweeper sweeper(CollectFixed(sections, is_fixed, *plan));
  const std::vector<Index> deaths = ByDeath(sections, order, is_fixed);
  size_t dead = 0;
  for (Index index : order) {
    if (is_fixed[index]) continue;
    Bytes& offset = plan->offsets[index];
    offset = 0;
    const Piece span = sections.SpanOf(index);
    if (span.first == span.last) continue;  // Size 0.
    for (; dead < deaths.size(); ++dead) {
      const Index gone = deaths[dead];
      if (sections.SpanOf(gone).last > span.first) break;
      sweeper.holes().Release(
          plan->offsets[gone],
          plan->offsets[gone] + problem.buffers()[gone].size);
    }
    sweeper.MoveTo(span.first);
    const plan::Buffer& buffer = problem.buffers()[index];
    offset = sweeper.LowestFit(buffer.size, buffer.alignment, span.last);
    sweeper.holes().Take(offset, offset + buffer.size);
  }
}

}  // namespace stowplan::solve
