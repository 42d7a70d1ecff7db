// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/liveness.h"

#include <algorithm>
#include <utility>

namespace stowplan::schedule {
namespace {

using graph::OperatorId;
using graph::TensorId;
using plan::LiveRange;
using plan::Step;

LiveRange Hull(const LiveRange& a, const LiveRange& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Who writes and who reads last, inside one subgraph.
void FindUsers(const graph::Subgraph& subgraph, std::vector<TensorUse>* uses) {
  for (size_t i = 0; i < subgraph.operators.size(); ++i) {
    const graph::Operator& op = subgraph.operators[i];
    for (TensorId output : op.outputs) {
      if (!output.valid()) continue;
      TensorUse& use = (*uses)[output.index()];
      if (!use.producer.valid()) use.producer = OperatorId::FromIndex(i);
    }
    for (TensorId input : op.inputs) {
      if (input.valid()) {
        (*uses)[input.index()].last_reader = OperatorId::FromIndex(i);
      }
    }
  }
}

// The live range of every tensor during one run of its subgraph.
class VisitRanges {
 public:
  VisitRanges(const graph::Subgraph& subgraph, const Timeline& timeline,
              const Visit& visit, const Rules& rules)
      : subgraph_(subgraph),
        timeline_(timeline),
        visit_(visit),
        is_entry_(&visit == &timeline.visits.front()),
        rules_(rules) {}

  std::vector<LiveRange> Run(const std::vector<TensorUse>& uses) {
    ranges_.assign(subgraph_.tensors.size(), LiveRange());
    for (size_t t = 0; t < uses.size(); ++t) FromUsers(uses[t], &ranges_[t]);
    const Step begin = visit_.steps.begin;
    for (TensorId input : subgraph_.inputs) {
      if (!input.valid()) continue;
      LiveRange& range = ranges_[input.index()];
      range = Hull(range, {begin, begin + 1});
      if (is_entry_ && rules_.inputs == Io::kKeep) range.end = visit_.steps.end;
    }
    if (!is_entry_ || rules_.outputs == Io::kKeep) {
      for (TensorId output : subgraph_.outputs) {
        if (output.valid()) Extend(output, visit_.steps.end);
      }
    }
    for (const graph::TensorRef& kept : rules_.keep) {
      if (kept.subgraph == visit_.subgraph) {
        Extend(kept.tensor, timeline_.end());
      }
    }
    return std::move(ranges_);
  }

 private:
  LiveRange SpanOf(OperatorId op) const {
    const Step step = visit_.step_of[op.index()];
    return timeline_.steps[static_cast<size_t>(step)].span;
  }

  // A tensor that is only read has no bytes of its own, unless it is an
  // input, which Run adds.
  void FromUsers(const TensorUse& use, LiveRange* range) const {
    if (use.producer.valid()) *range = SpanOf(use.producer);
    if (use.last_reader.valid()) {
      const LiveRange read = SpanOf(use.last_reader);
      *range = use.producer.valid() ? Hull(*range, read) : read;
    }
  }

  void Extend(TensorId tensor, Step end) {
    LiveRange& range = ranges_[tensor.index()];
    if (!range.empty()) range.end = std::max(range.end, end);
  }

  const graph::Subgraph& subgraph_;
  const Timeline& timeline_;
  const Visit& visit_;
  bool is_entry_;
  const Rules& rules_;
  std::vector<LiveRange> ranges_;
};

}  // namespace

std::vector<std::vector<TensorUse>> FindLiveRanges(const graph::Model& model,
                                                   const Timeline& timeline,
                                                   const Rules& rules) {
  std::vector<std::vector<TensorUse>> uses;
  uses.reserve(model.subgraphs.size());
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    uses.emplace_back(subgraph.tensors.size());
    FindUsers(subgraph, &uses.back());
  }
  for (const Visit& visit : timeline.visits) {
    std::vector<TensorUse>& of = uses[visit.subgraph.index()];
    const std::vector<LiveRange> ranges =
        VisitRanges(model.subgraph(visit.subgraph), timeline, visit, rules)
            .Run(of);
    for (size_t t = 0; t < of.size(); ++t) {
      of[t].live = Hull(of[t].live, ranges[t]);
    }
  }
  return uses;
}

}  // namespace stowplan::schedule
