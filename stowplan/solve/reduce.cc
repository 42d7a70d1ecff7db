// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/reduce.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "stowplan/plan/metrics.h"
#include "stowplan/solve/arena_map.h"

namespace stowplan::solve {
namespace {

constexpr int kMaxRounds = 8;

// Counts and sums over all buffers whose spans meet a range of sections: all
// but those that died before it and those that are born after it.
class Neighbours {
 public:
  Neighbours(const plan::Problem& problem, const Sections& sections,
             const std::vector<bool>& is_dropped)
      : born_(static_cast<size_t>(sections.count()) + 1),
        died_(static_cast<size_t>(sections.count()) + 1) {
    for (size_t i = 0; i < problem.size(); ++i) {
      const Piece span = sections.SpanOf(static_cast<Index>(i));
      if (is_dropped[i] || span.first == span.last) continue;
      const Bytes size = problem.buffers()[i].size;
      born_[static_cast<size_t>(span.first) + 1].Add({1, size});
      died_[static_cast<size_t>(span.last)].Add({1, size});
    }
    for (size_t i = 1; i < born_.size(); ++i) {
      born_[i].Add(born_[i - 1]);
      died_[i].Add(died_[i - 1]);
    }
  }

  struct Sum {
    int64_t count = 0;
    Bytes size = 0;
    void Add(const Sum& other) {
      count += other.count;
      size += other.size;
    }
  };

  Sum Meeting(const Piece& span) const {
    const Sum& born = born_[static_cast<size_t>(span.last)];
    const Sum& died = died_[static_cast<size_t>(span.first)];
    return {born.count - died.count, born.size - died.size};
  }

 private:
  std::vector<Sum> born_;  // Before a section.
  std::vector<Sum> died_;  // Up to a section.
};

// Whether a buffer finds room below `bound` however the `others` lie. Another
// buffer of size s forbids the offsets within s - 1 bytes above and size - 1
// below its own: at most s + size - 1 in a row, and of those at most
// 1 + (s + size - 2) / alignment are aligned.
bool AlwaysFits(const plan::Buffer& buffer, Neighbours::Sum others,
                Bytes bound) {
  if (buffer.size > bound) return false;
  const Bytes offsets = (bound - buffer.size) / buffer.alignment + 1;
  Bytes forbidden;
  if (__builtin_mul_overflow(others.count, buffer.size, &forbidden) ||
      __builtin_add_overflow(forbidden, others.size, &forbidden)) {
    return false;
  }
  return others.count + forbidden / buffer.alignment < offsets;
}

std::vector<Index> ChooseDropped(const plan::Problem& problem,
                                 const Sections& sections, Bytes bound,
                                 std::vector<bool>* is_dropped) {
  std::vector<Index> dropped;
  for (int round = 0; round < kMaxRounds; ++round) {
    const Neighbours neighbours(problem, sections, *is_dropped);
    const size_t before = dropped.size();
    for (size_t i = 0; i < problem.size(); ++i) {
      const plan::Buffer& buffer = problem.buffers()[i];
      if ((*is_dropped)[i] || buffer.pinned) continue;
      const Piece span = sections.SpanOf(static_cast<Index>(i));
      if (span.first != span.last) {
        Neighbours::Sum others = neighbours.Meeting(span);
        others.count -= 1;  // Not itself.
        others.size -= buffer.size;
        if (!AlwaysFits(buffer, others, bound)) continue;
      }
      (*is_dropped)[i] = true;
      dropped.push_back(static_cast<Index>(i));
    }
    if (dropped.size() == before) break;
  }
  // The last one dropped counted on the fewest others being there.
  std::reverse(dropped.begin(), dropped.end());
  return dropped;
}

// The number of the part for each section: a new one begins at a section's
// edge that no buffer crosses.
std::vector<uint32_t> PartOfSections(const Sections& sections, size_t n,
                                     const std::vector<bool>& is_dropped) {
  const auto count = static_cast<size_t>(sections.count());
  std::vector<int64_t> crossing(count + 1);
  for (size_t i = 0; i < n; ++i) {
    const Piece span = sections.SpanOf(static_cast<Index>(i));
    if (is_dropped[i] || span.first == span.last) continue;
    ++crossing[static_cast<size_t>(span.first) + 1];
    --crossing[static_cast<size_t>(span.last)];
  }
  std::vector<uint32_t> part(count);
  int64_t open = 0;
  for (size_t i = 1; i < count; ++i) {
    open += crossing[i];
    part[i] = part[i - 1] + (open == 0 ? 1 : 0);
  }
  return part;
}

// The largest unit of which all sizes, windows and pins are multiples. Where
// an alignment is a multiple of it too, that shrinks along; where it divides
// the unit, it holds by itself; any other is taken into the unit.
Bytes UnitOf(const plan::Problem& problem, const std::vector<Index>& ids) {
  Bytes unit = 0;
  for (Index id : ids) {
    const plan::Buffer& buffer = problem.buffers()[id];
    unit = std::gcd(unit, std::gcd(buffer.size, buffer.pinned.value_or(0)));
    for (const plan::Gap& gap : buffer.gaps) {
      if (!gap.window) continue;
      unit = std::gcd(unit, std::gcd(gap.window->begin, gap.window->end));
    }
  }
  bool changed = unit > 0;
  while (changed) {
    changed = false;
    for (Index id : ids) {
      const Bytes alignment = problem.buffers()[id].alignment;
      if (unit % alignment == 0 || alignment % unit == 0) continue;
      unit = std::gcd(unit, alignment);
      changed = true;
    }
  }
  return std::max<Bytes>(unit, 1);
}

plan::Buffer Scaled(plan::Buffer buffer, Bytes unit) {
  buffer.size /= unit;
  buffer.alignment = std::max<Bytes>(buffer.alignment / unit, 1);
  if (buffer.pinned) *buffer.pinned /= unit;
  for (plan::Gap& gap : buffer.gaps) {
    if (!gap.window) continue;
    gap.window = ByteRange{gap.window->begin / unit, gap.window->end / unit};
  }
  return buffer;
}

Part MakePart(const plan::Problem& problem, std::vector<Index> ids) {
  Part part;
  part.scale = UnitOf(problem, ids);
  std::vector<plan::Buffer> buffers;
  for (Index id : ids) {
    buffers.push_back(Scaled(problem.buffers()[id], part.scale));
  }
  std::optional<Bytes> capacity = problem.capacity();
  if (capacity) *capacity /= part.scale;
  // Smaller than a valid problem, so it is valid.
  part.problem = *plan::Problem::Create(std::move(buffers), capacity);
  part.ids = std::move(ids);
  return part;
}

}  // namespace

Reduction Reduce(const plan::Problem& problem, Bytes bound) {
  const Sections sections(problem);
  std::vector<bool> is_dropped(problem.size());
  Reduction reduction;
  reduction.dropped = ChooseDropped(problem, sections, bound, &is_dropped);

  const std::vector<uint32_t> part_of =
      PartOfSections(sections, problem.size(), is_dropped);
  std::vector<std::vector<Index>> ids(part_of.empty() ? 0 : part_of.back() + 1);
  for (size_t i = 0; i < problem.size(); ++i) {
    const Piece span = sections.SpanOf(static_cast<Index>(i));
    // A pinned buffer of size 0 stands nowhere; Restore knows its offset.
    if (is_dropped[i] || span.first == span.last) continue;
    ids[part_of[static_cast<size_t>(span.first)]].push_back(
        static_cast<Index>(i));
  }
  std::vector<std::pair<Bytes, Part>> by_load;
  for (std::vector<Index>& own : ids) {
    if (own.empty()) continue;
    Part part = MakePart(problem, std::move(own));
    const Bytes load = plan::MaxLiveBytes(part.problem) * part.scale;
    by_load.emplace_back(load, std::move(part));
  }
  std::stable_sort(
      by_load.begin(), by_load.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [load, part] : by_load) reduction.parts.push_back(std::move(part));
  return reduction;
}

plan::Plan Restore(const plan::Problem& problem, const Reduction& reduction,
                   const std::vector<plan::Plan>& plans) {
  const Sections sections(problem);
  ArenaMap arena(sections.count());
  plan::Plan whole;
  for (const plan::Buffer& buffer : problem.buffers()) {
    whole.offsets.push_back(buffer.pinned.value_or(0));
  }
  for (size_t i = 0; i < reduction.parts.size(); ++i) {
    const Part& part = reduction.parts[i];
    for (size_t j = 0; j < part.ids.size(); ++j) {
      const Index id = part.ids[j];
      whole.offsets[id] = plans[i].offsets[j] * part.scale;
      arena.Take(sections.PiecesOf(id), whole.offsets[id]);
    }
  }
  for (Index id : reduction.dropped) {
    const std::span<const Piece> pieces = sections.PiecesOf(id);
    whole.offsets[id] =
        arena.LowestFit(pieces, problem.buffers()[id].alignment);
    arena.Take(pieces, whole.offsets[id]);
  }
  return whole;
}

std::optional<plan::Plan> PlanOfPart(const Part& part, const plan::Plan& plan) {
  plan::Plan own;
  for (Index id : part.ids) {
    if (plan.offsets[id] % part.scale != 0) return std::nullopt;
    own.offsets.push_back(plan.offsets[id] / part.scale);
  }
  return own;
}

}  // namespace stowplan::solve
