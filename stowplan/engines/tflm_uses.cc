// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_uses.h"

#include <algorithm>
#include <string>

namespace stowplan::engines {
namespace {

using graph::Operator;
using graph::OpKind;
using graph::Subgraph;
using graph::SubgraphId;
using graph::TensorId;

constexpr size_t kMostSteps = size_t{1} << 21;

bool Calls(const Operator& op) {
  return op.kind == OpKind::kIf || op.kind == OpKind::kWhile ||
         op.kind == OpKind::kCallOnce;
}

class Marker {
 public:
  Marker(const graph::Model& model, const schedule::Timeline& timeline)
      : model_(model), timeline_(timeline) {
    for (const Subgraph& subgraph : model.subgraphs) {
      found_.tensors.emplace_back(subgraph.tensors.size());
      found_.operators.emplace_back(subgraph.operators.size());
    }
    found_.step_of.push_back(0);
  }

  // The counter stands at the subgraph's begin.
  Status Mark(SubgraphId id) {
    const Subgraph& subgraph = model_.subgraph(id);
    const auto marks = [&](TensorId tensor) -> TflmUse& {
      return found_.tensors[id.index()][tensor.index()];
    };
    for (TensorId tensor : subgraph.inputs) {
      Create(&marks(tensor));
      marks(tensor).last = Now();
    }
    for (size_t i = 0; i < subgraph.operators.size(); ++i) {
      const Operator& op = subgraph.operators[i];
      STOWPLAN_RETURN_IF_ERROR(Advance(next_));
      const plan::Step step = next_;
      const int64_t begin = Now();
      for (TensorId tensor : op.outputs) {
        if (tensor.valid()) Create(&marks(tensor));
      }
      ++next_;
      STOWPLAN_RETURN_IF_ERROR(MarkCallees(op));
      next_ = timeline_.steps[static_cast<size_t>(step)].span.end;
      for (const auto* list : {&op.inputs, &op.outputs}) {
        for (TensorId tensor : *list) {
          if (tensor.valid()) marks(tensor).last = Now();
        }
      }
      TflmUse& scratch = found_.operators[id.index()][i];
      if (scratch.first < 0) scratch.first = begin;
      scratch.last = Now();
    }
    for (TensorId tensor : subgraph.outputs) marks(tensor).last = Now();
    // The timeline has a step for a subgraph without operators.
    if (subgraph.operators.empty()) ++next_;
    return {};
  }

  TflmUses Take() && { return std::move(found_); }

 private:
  int64_t Now() const {
    return static_cast<int64_t>(found_.step_of.size()) - 1;
  }

  Status Advance(plan::Step step) {
    if (found_.step_of.size() >= kMostSteps) {
      return BadInput("model", "its subgraphs call each other over and over",
                      "plan the callees on their own");
    }
    found_.step_of.push_back(
        std::min(step, std::max<plan::Step>(timeline_.end() - 1, 0)));
    return {};
  }

  // Only the first creation counts: a subgraph that is called twice has one
  // range around both calls.
  void Create(TflmUse* use) {
    if (use->first < 0) use->first = Now();
  }

  Status MarkCallees(const Operator& op) {
    if (!Calls(op)) return {};
    for (SubgraphId callee : op.callees) {
      STOWPLAN_RETURN_IF_ERROR(Advance(next_));
      STOWPLAN_RETURN_IF_ERROR(Mark(callee));
    }
    return {};
  }

  const graph::Model& model_;
  const schedule::Timeline& timeline_;
  TflmUses found_;
  plan::Step next_ = 0;
};

}  // namespace

Result<TflmUses> FindTflmUses(const graph::Model& model,
                              const schedule::Timeline& timeline) {
  Marker marker(model, timeline);
  if (!model.subgraphs.empty()) {
    STOWPLAN_RETURN_IF_ERROR(marker.Mark(SubgraphId(0)));
  }
  return std::move(marker).Take();
}

}  // namespace stowplan::engines
