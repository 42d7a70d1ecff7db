// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_model.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::BufferId;

// The largest unit that offsets may be counted in without a loss: it divides
// all sizes and pinned offsets, and each alignment divides it or is a
// multiple of it, so that rounding up to an alignment stays in units.
Bytes UnitOf(const plan::Problem& problem) {
  Bytes unit = 0;
  for (const Buffer& buffer : problem.buffers()) {
    if (buffer.size == 0) continue;
    unit = std::gcd(unit, buffer.size);
    unit = std::gcd(unit, buffer.pinned.value_or(0));
  }
  if (unit == 0) return 1;
  for (const Buffer& buffer : problem.buffers()) {
    if (buffer.size > 0 && unit % buffer.alignment != 0) {
      unit = std::gcd(unit, buffer.alignment);
    }
  }
  return unit;
}

// The steps at which a buffer is in use, windows counted as all of it.
std::vector<plan::LiveRange> UseOf(const Buffer& buffer, bool* windows) {
  std::vector<plan::LiveRange> use;
  plan::Step from = buffer.live.begin;
  for (const plan::Gap& gap : buffer.gaps) {
    if (gap.window) {
      *windows = *windows || *gap.window != ByteRange{0, buffer.size};
      continue;
    }
    if (from < gap.range.begin) use.push_back({from, gap.range.begin});
    from = gap.range.end;
  }
  if (from < buffer.live.end) use.push_back({from, buffer.live.end});
  return use;
}

struct Event {
  plan::Step step;
  bool begins;  // Ends come first: ranges are half-open.
  size_t range;
};

// Numbers the sections and says which of them each range covers. One is
// closed by the first end after a begin.
std::vector<SectionRange> NumberSections(
    const std::vector<plan::LiveRange>& use, int32_t* sections) {
  std::vector<Event> events;
  events.reserve(2 * use.size());
  for (size_t i = 0; i < use.size(); ++i) {
    events.push_back({use[i].begin, true, i});
    events.push_back({use[i].end, false, i});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.step, a.begins, a.range) <
           std::tie(b.step, b.begins, b.range);
  });
  std::vector<SectionRange> ranges(use.size());
  int32_t count = 0;
  bool grew = false;
  for (const Event& event : events) {
    if (event.begins) {
      ranges[event.range].begin = count;
      grew = true;
      continue;
    }
    if (grew) ++count;
    grew = false;
    ranges[event.range].end = count;
  }
  *sections = count;
  return ranges;
}

void FindMembers(SearchModel* model) {
  std::vector<std::vector<int32_t>> members(
      static_cast<size_t>(model->sections));
  for (int32_t i = 0; i < model->items(); ++i) {
    for (const SectionRange& range : model->ranges[i]) {
      for (int32_t s = range.begin; s < range.end; ++s) {
        members[static_cast<size_t>(s)].push_back(i);
      }
    }
  }
  for (const std::vector<int32_t>& row : members) {
    model->members.values.insert(model->members.values.end(), row.begin(),
                                 row.end());
    model->members.EndRow();
  }
}

// False if there are too many.
bool FindConflicts(int64_t max_pairs, SearchModel* model) {
  std::vector<int32_t> seen(model->size(), -1);
  // Who begins where: those and the members of the first section of a range
  // are all that a range conflicts with.
  std::vector<std::vector<int32_t>> begins(
      static_cast<size_t>(model->sections));
  for (int32_t i = 0; i < model->items(); ++i) {
    for (const SectionRange& range : model->ranges[i]) {
      begins[static_cast<size_t>(range.begin)].push_back(i);
    }
  }
  for (int32_t i = 0; i < model->items(); ++i) {
    seen[static_cast<size_t>(i)] = i;
    auto add = [&](int32_t j) {
      if (seen[static_cast<size_t>(j)] == i) return;
      seen[static_cast<size_t>(j)] = i;
      model->conflicts.values.push_back(j);
    };
    for (const SectionRange& range : model->ranges[i]) {
      for (int32_t j : model->members[range.begin]) add(j);
      for (int32_t s = range.begin + 1; s < range.end; ++s) {
        for (int32_t j : begins[static_cast<size_t>(s)]) add(j);
      }
    }
    model->conflicts.EndRow();
    const int64_t found = static_cast<int64_t>(model->conflicts.values.size());
    if (found > 2 * max_pairs) return false;
    std::sort(
        model->conflicts.values.begin() + model->conflicts.starts.end()[-2],
        model->conflicts.values.end());
  }
  return true;
}

void FindObstacles(SearchModel* model) {
  for (int32_t i = 0; i < model->items(); ++i) {
    for (int32_t j : model->conflicts[i]) {
      if (model->pinned[static_cast<size_t>(j)] >= 0) {
        model->obstacles.values.push_back(j);
      }
    }
    std::sort(model->obstacles.values.begin() + model->obstacles.starts.back(),
              model->obstacles.values.end(), [&](int32_t a, int32_t b) {
                return std::pair(model->pinned[static_cast<size_t>(a)], a) <
                       std::pair(model->pinned[static_cast<size_t>(b)], b);
              });
    model->obstacles.EndRow();
  }
}

}  // namespace

std::optional<SearchModel> SearchModel::Create(const plan::Problem& problem,
                                               int64_t max_pairs) {
  SearchModel model;
  model.unit = UnitOf(problem);
  std::vector<plan::LiveRange> use;
  for (size_t b = 0; b < problem.size(); ++b) {
    const Buffer& buffer = problem.buffers()[b];
    if (buffer.size == 0) continue;
    bool windows = false;
    const std::vector<plan::LiveRange> own = UseOf(buffer, &windows);
    if (windows) model.exact = false;
    if (own.empty()) {
      model.alone = std::max(
          model.alone, (buffer.pinned.value_or(0) + buffer.size) / model.unit);
      continue;
    }
    model.buffers.push_back(BufferId::FromIndex(b));
    model.sizes.push_back(buffer.size / model.unit);
    model.alignments.push_back(
        std::max<Bytes>(1, buffer.alignment / model.unit));
    model.pinned.push_back(buffer.pinned ? *buffer.pinned / model.unit : -1);
    int64_t steps = 0;
    for (const plan::LiveRange& range : own) steps += range.end - range.begin;
    model.steps.push_back(steps);
    use.insert(use.end(), own.begin(), own.end());
    for (size_t k = 0; k < own.size(); ++k) {
      model.ranges.values.push_back({static_cast<int32_t>(b), 0});
    }
    model.ranges.EndRow();
  }
  Bytes sum = model.alone;
  Bytes highest = 0;
  for (size_t i = 0; i < model.size(); ++i) {
    sum += model.sizes[i] + model.alignments[i];
    highest = std::max(highest, model.pinned[i] + model.sizes[i]);
  }
  model.small = sum + highest < Bytes{1} << 29;
  const std::vector<SectionRange> numbered =
      NumberSections(use, &model.sections);
  // Ranges that meet once the sections between them are gone become one.
  Rows<SectionRange> merged;
  for (int32_t i = 0; i < model.items(); ++i) {
    const size_t row = static_cast<size_t>(i);
    for (int64_t k = model.ranges.starts[row]; k < model.ranges.starts[row + 1];
         ++k) {
      const SectionRange& next = numbered[static_cast<size_t>(k)];
      if (k > model.ranges.starts[row] &&
          merged.values.back().end == next.begin) {
        merged.values.back().end = next.end;
      } else {
        merged.values.push_back(next);
      }
    }
    merged.EndRow();
    if (merged.starts.end()[-1] - merged.starts.end()[-2] > 1) {
      model.gaps = true;
    }
  }
  model.ranges = std::move(merged);
  FindMembers(&model);
  if (!FindConflicts(max_pairs, &model)) return std::nullopt;
  FindObstacles(&model);
  return model;
}

plan::Plan SearchModel::ToPlan(const plan::Problem& problem,
                               const std::vector<Bytes>& offsets) const {
  plan::Plan plan;
  for (const Buffer& buffer : problem.buffers()) {
    plan.offsets.push_back(buffer.pinned.value_or(0));
  }
  for (size_t i = 0; i < size(); ++i) {
    plan.offsets[buffers[i].index()] = offsets[i] * unit;
  }
  return plan;
}

}  // namespace stowplan::solve
