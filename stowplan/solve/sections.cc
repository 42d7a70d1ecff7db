// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/sections.h"

#include <numeric>

#include "stowplan/solve/radix_order.h"

namespace stowplan::solve {
namespace {

// The pieces before sections are known: only their steps, apart from them.
struct Cuts {
  std::vector<int64_t> begins;
  std::vector<int64_t> ends;
};

void Cut(const plan::Buffer& buffer, std::vector<Piece>* pieces, Cuts* cuts) {
  if (buffer.size == 0) return;
  auto add = [&](plan::LiveRange range, Bytes begin, Bytes end) {
    pieces->push_back({0, 0, begin, end});
    cuts->begins.push_back(range.begin);
    cuts->ends.push_back(range.end);
  };
  plan::Step from = buffer.live.begin;
  for (const plan::Gap& gap : buffer.gaps) {
    if (from < gap.range.begin) {
      add({from, gap.range.begin}, 0, buffer.size);
    }
    if (gap.window) add(gap.range, gap.window->begin, gap.window->end);
    from = gap.range.end;
  }
  if (from < buffer.live.end) add({from, buffer.live.end}, 0, buffer.size);
}

}  // namespace

Sections::Sections(const plan::Problem& problem) {
  Cuts cuts;
  const size_t n = problem.size();
  start_.reserve(n + 1);
  pieces_.reserve(n);
  cuts.begins.reserve(n);
  cuts.ends.reserve(n);
  start_.push_back(0);
  for (const plan::Buffer& buffer : problem.buffers()) {
    Cut(buffer, &pieces_, &cuts);
    start_.push_back(static_cast<uint32_t>(pieces_.size()));
  }

  RadixOrder begins(pieces_.size());
  begins.By(cuts.begins);
  RadixOrder ends(pieces_.size());
  ends.By(cuts.ends);
  bool born = false;  // Since the last death.
  size_t next_end = 0;
  auto end_until = [&](size_t limit) {
    if (born && next_end < limit) {
      ++count_;
      born = false;
    }
    for (; next_end < limit; ++next_end) {
      pieces_[ends.indices()[next_end]].last = count_;
    }
  };
  for (uint32_t piece : begins.indices()) {
    size_t limit = next_end;
    while (limit < pieces_.size() &&
           cuts.ends[ends.indices()[limit]] <= cuts.begins[piece]) {
      ++limit;
    }
    end_until(limit);
    pieces_[piece].first = count_;
    born = true;
  }
  end_until(pieces_.size());
}

Piece Sections::SpanOf(Index buffer) const {
  const std::span<const Piece> own = PiecesOf(buffer);
  if (own.empty()) return {};
  return {own.front().first, own.back().last, 0, 0};
}

std::vector<Bytes> Sections::Load() const {
  std::vector<Bytes> load(static_cast<size_t>(count_) + 1);
  for (const Piece& piece : pieces_) {
    load[static_cast<size_t>(piece.first)] += piece.end - piece.begin;
    load[static_cast<size_t>(piece.last)] -= piece.end - piece.begin;
  }
  std::partial_sum(load.begin(), load.end(), load.begin());
  load.pop_back();
  return load;
}

}  // namespace stowplan::solve
