// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/kinds.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace stowplan::schedule {
namespace {

using graph::OperatorId;
using graph::OperatorRef;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

constexpr std::array<std::string_view, 6> kNames = {
    "mapped", "arena", "persistent", "dynamic", "scratch", "none"};

class Classifier {
 public:
  Classifier(const graph::Model& model, const Rules& rules,
             const std::vector<Dynamic>& known)
      : model_(model), rules_(rules) {
    for (const Dynamic& entry : known) known_.insert({entry.tensor, entry});
    for (const graph::Subgraph& subgraph : model.subgraphs) {
      kinds_.of.emplace_back(subgraph.tensors.size());
      kinds_.variable_of.emplace_back(subgraph.tensors.size());
    }
  }

  Kinds Run(const Timeline& timeline) && {
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      MarkConstants(SubgraphId::FromIndex(s));
    }
    FindVariables(timeline);
    for (SubgraphId id : ReachedSubgraphs(timeline)) ClassifySubgraph(id);
    std::sort(
        kinds_.dynamic.begin(), kinds_.dynamic.end(),
        [](const Dynamic& a, const Dynamic& b) { return a.tensor < b.tensor; });
    return std::move(kinds_);
  }

 private:
  TensorKind& At(TensorRef ref) {
    return kinds_.of[ref.subgraph.index()][ref.tensor.index()];
  }
  const graph::Tensor& TensorOf(TensorRef ref) const {
    return model_.subgraph(ref.subgraph).tensor(ref.tensor);
  }

  void MarkConstants(SubgraphId id) {
    const graph::Subgraph& subgraph = model_.subgraph(id);
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const graph::Tensor& tensor = subgraph.tensors[t];
      if (!tensor.constant) continue;
      const Bytes stored = static_cast<Bytes>(tensor.data.size());
      At({id, TensorId::FromIndex(t)}) = {
          Kind::kMapped,
          stored > 0 ? stored : graph::SizeOf(tensor).value_or(0)};
    }
  }

  // Resource variables live by their shared name, across subgraphs. Their
  // size is that of the values that are assigned to them or read from them.
  void FindVariables(const Timeline& timeline) {
    std::map<std::pair<std::string, std::string>, TensorRef> first;
    for (SubgraphId id : ReachedSubgraphs(timeline)) {
      for (const graph::Operator& op : model_.subgraph(id).operators) {
        if (op.kind != OpKind::kVarHandle || op.outputs.empty()) continue;
        const TensorRef handle = {id, op.outputs[0]};
        const auto name =
            std::make_pair(op.attributes.String("container", ""),
                           op.attributes.String("shared_name", ""));
        variable(handle) = first.insert({name, handle}).first->second;
      }
    }
    PassHandlesOn(timeline);
    SizeVariables(timeline);
  }

  TensorRef& variable(TensorRef ref) {
    return kinds_.variable_of[ref.subgraph.index()][ref.tensor.index()];
  }

  // Handles are handed to callees as inputs and come back as outputs. Each
  // round may carry them one call further.
  void PassHandlesOn(const Timeline& timeline) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (const StepInfo& step : timeline.steps) {
        if (!step.op.op.valid()) continue;
        const graph::Operator& op =
            model_.subgraph(step.op.subgraph).operators[step.op.op.index()];
        for (SubgraphId callee : op.callees) {
          moved |= PassThroughCall(step.op.subgraph, op, callee);
        }
      }
    }
  }

  bool PassThroughCall(SubgraphId caller, const graph::Operator& op,
                       SubgraphId callee) {
    const graph::Subgraph& called = model_.subgraph(callee);
    // An IF's first operand is its condition.
    const size_t skip = op.kind == OpKind::kIf ? 1 : 0;
    bool moved = false;
    for (size_t i = 0; i < called.inputs.size() && i + skip < op.inputs.size();
         ++i) {
      moved |= Pass({caller, op.inputs[i + skip]}, {callee, called.inputs[i]});
    }
    // A WHILE's condition has an output of its own kind, which is no handle.
    for (size_t i = 0; i < called.outputs.size() && i < op.outputs.size();
         ++i) {
      moved |= Pass({callee, called.outputs[i]}, {caller, op.outputs[i]});
    }
    return moved;
  }

  // The first handle that reaches a tensor stays its handle.
  bool Pass(TensorRef from, TensorRef to) {
    if (!from.tensor.valid() || !to.tensor.valid()) return false;
    if (!variable(from).tensor.valid() || variable(to).tensor.valid()) {
      return false;
    }
    variable(to) = variable(from);
    return true;
  }

  void SizeVariables(const Timeline& timeline) {
    for (SubgraphId id : ReachedSubgraphs(timeline)) {
      for (const graph::Operator& op : model_.subgraph(id).operators) {
        TensorId value;
        if (op.kind == OpKind::kAssignVariable && op.inputs.size() > 1) {
          value = op.inputs[1];
        } else if (op.kind == OpKind::kReadVariable && !op.outputs.empty()) {
          value = op.outputs[0];
        }
        if (!value.valid() || op.inputs.empty() || !op.inputs[0].valid()) {
          continue;
        }
        const TensorRef owner = variable({id, op.inputs[0]});
        const auto size = graph::SizeOf(TensorOf({id, value}));
        if (!owner.tensor.valid() || !size) continue;
        auto [entry, inserted] = variable_bytes_.insert({owner, *size});
        if (!inserted) entry->second = std::max(entry->second, *size);
      }
    }
  }

  void ClassifySubgraph(SubgraphId id) {
    const graph::Subgraph& subgraph = model_.subgraph(id);
    for (TensorId input : subgraph.inputs) Classify({id, input}, OperatorId());
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      if (subgraph.tensors[t].variable) {
        Classify({id, TensorId::FromIndex(t)}, OperatorId());
      }
    }
    for (size_t i = 0; i < subgraph.operators.size(); ++i) {
      const graph::Operator& op = subgraph.operators[i];
      const bool folded = rules_.fold_constants && Folds(id, op);
      for (TensorId output : op.outputs) {
        if (!output.valid()) continue;
        Classify({id, output}, OperatorId::FromIndex(i));
        TensorKind& kind = At({id, output});
        if (folded && kind.kind == Kind::kArena) kind.kind = Kind::kPersistent;
        if (kind.kind != Kind::kArena || output != op.outputs[0]) continue;
        if (const auto fixed = FixedBehindView(id, op)) {
          kind.kind = At(*fixed).kind;
        }
      }
    }
  }

  // The operators whose value over constants is computed once.
  bool Folds(SubgraphId id, const graph::Operator& op) const {
    if (op.kind != OpKind::kDequantize && op.kind != OpKind::kDensify) {
      return false;
    }
    return !op.inputs.empty() && op.inputs[0].valid() &&
           IsFixed({id, op.inputs[0]});
  }

  // A constant, or one that was folded; not a variable.
  bool IsFixed(TensorRef ref) const {
    const Kind kind = kinds_.at(ref).kind;
    return kind == Kind::kMapped ||
           (kind == Kind::kPersistent && !TensorOf(ref).variable &&
            !kinds_.variable_of[ref.subgraph.index()][ref.tensor.index()]
                 .tensor.valid());
  }

  // What output 0 shows if it is a view of bytes that never change, which
  // needs none of its own; else nothing.
  std::optional<TensorRef> FixedBehindView(SubgraphId id,
                                           const graph::Operator& op) const {
    if (rules_.in_place == InPlace::kOff || op.outputs.empty() ||
        !op.outputs[0].valid()) {
      return std::nullopt;
    }
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.inputs[i].valid() || !graph::IsView(op, i)) continue;
      const TensorRef input = {id, op.inputs[i]};
      if (IsFixed(input) && !TensorOf(input).sparse &&
          graph::SizeOf(TensorOf(input)) ==
              graph::SizeOf(TensorOf({id, op.outputs[0]}))) {
        return input;
      }
    }
    return std::nullopt;
  }

  void Classify(TensorRef ref, OperatorId producer) {
    const graph::Tensor& tensor = TensorOf(ref);
    TensorKind& kind = At(ref);
    if (kind.kind != Kind::kNone) return;
    if (const TensorRef owner = variable(ref); owner.tensor.valid()) {
      const auto size = variable_bytes_.find(owner);
      if (size == variable_bytes_.end()) {
        MarkDynamic(ref, producer, "no operator tells the variable's size");
      } else {
        kind = {Kind::kPersistent, size->second};
      }
      return;
    }
    const std::optional<Bytes> size = graph::SizeOf(tensor);
    if (!size) {
      MarkDynamic(ref, producer, ReasonOf(tensor));
    } else {
      kind = {tensor.variable ? Kind::kPersistent : Kind::kArena, *size};
    }
  }

  static std::string ReasonOf(const graph::Tensor& tensor) {
    switch (tensor.dtype) {
      case DType::kString:
        return "strings have no fixed size";
      case DType::kResource:
      case DType::kVariant:
        return "a resource's size is known to its operators only";
      default:
        return tensor.shape ? "a dimension is not known"
                            : "its shape is not known";
    }
  }

  void MarkDynamic(TensorRef ref, OperatorId producer, std::string reason) {
    At(ref) = {Kind::kDynamic, 0};
    const auto known = known_.find(ref);
    kinds_.dynamic.push_back(
        known != known_.end()
            ? known->second
            : Dynamic{ref, {ref.subgraph, producer}, std::move(reason)});
  }

  const graph::Model& model_;
  const Rules& rules_;
  std::map<TensorRef, Dynamic> known_;
  std::map<TensorRef, Bytes> variable_bytes_;  // By the first handle.
  Kinds kinds_;
};

}  // namespace

std::string_view NameOf(Kind kind) { return kNames[static_cast<size_t>(kind)]; }

Kinds ClassifyTensors(const graph::Model& model, const Timeline& timeline,
                      const Rules& rules, const std::vector<Dynamic>& known) {
  return Classifier(model, rules, known).Run(timeline);
}

}  // namespace stowplan::schedule
