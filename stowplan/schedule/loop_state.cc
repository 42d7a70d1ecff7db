// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/loop_state.h"

#include <algorithm>

namespace stowplan::schedule {
namespace {

using graph::Operator;
using graph::OperatorId;
using graph::OperatorRef;
using graph::OpKind;
using graph::Subgraph;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

constexpr size_t kCondition = 0;  // Position among a WHILE's callees.
constexpr size_t kBody = 1;

class Finder {
 public:
  Finder(const graph::Model& model, const Kinds& kinds,
         const std::vector<AliasClasses>& aliases, const Rules& rules)
      : model_(model), kinds_(kinds), aliases_(aliases) {
    calls_.assign(model.subgraphs.size(), 0);
    for (const Subgraph& subgraph : model.subgraphs) {
      written_.emplace_back(subgraph.tensors.size(), false);
      fixed_.emplace_back(subgraph.tensors.size(), false);
      for (const Operator& op : subgraph.operators) {
        for (SubgraphId callee : op.callees) ++calls_[callee.index()];
      }
    }
    ++calls_[rules.entry.index()];  // By the user.
    FindWritten();
    for (const auto* tensors : {&rules.keep, &rules.outside}) {
      for (const TensorRef& tensor : *tensors) Mark(tensor, &fixed_);
    }
  }

  std::vector<LoopArgument> Run(const Timeline& timeline) && {
    for (SubgraphId id : ReachedSubgraphs(timeline)) {
      const std::vector<Operator>& operators = model_.subgraph(id).operators;
      for (size_t i = 0; i < operators.size(); ++i) {
        if (operators[i].kind == OpKind::kWhile) {
          AddLoop({id, OperatorId::FromIndex(i)}, operators[i]);
        }
      }
    }
    return std::move(found_);
  }

 private:
  using Flags = std::vector<std::vector<bool>>;  // By subgraph, root.

  TensorId RootOf(TensorRef tensor) const {
    return aliases_[tensor.subgraph.index()].root[tensor.tensor.index()];
  }

  void Mark(TensorRef tensor, Flags* flags) const {
    (*flags)[tensor.subgraph.index()][RootOf(tensor).index()] = true;
  }

  // The classes in which an operator writes over another's value.
  void FindWritten() {
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      const SubgraphId id = SubgraphId::FromIndex(s);
      for (const Operator& op : model_.subgraphs[s].operators) {
        for (TensorId output : op.outputs) {
          if (!output.valid()) continue;
          const TensorId shown = aliases_[s].alias_of[output.index()];
          if (shown.valid() && !Shows(op, shown)) {
            Mark({id, output}, &written_);
          }
        }
      }
    }
  }

  // Whether the operator leaves the bytes of its operand as they are.
  static bool Shows(const Operator& op, TensorId operand) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] == operand && graph::IsView(op, i)) return true;
    }
    return false;
  }

  void AddLoop(OperatorRef loop, const Operator& op) {
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      for (size_t c : {kCondition, kBody}) {
        const std::vector<TensorId>& inputs =
            model_.subgraph(op.callees[c]).inputs;
        if (i >= inputs.size() || !inputs[i].valid() ||
            !op.outputs[i].valid()) {
          continue;
        }
        LoopArgument entry = {loop,
                              {loop.subgraph, op.outputs[i]},
                              {op.callees[c], inputs[i]},
                              {}};
        entry.apart_because = WhyApart(entry, i, c);
        found_.push_back(entry);
      }
    }
  }

  std::string_view WhyApart(const LoopArgument& entry, size_t position,
                            size_t callee) const {
    const TensorRef output = entry.output;
    const TensorRef argument = entry.argument;
    if (calls_[argument.subgraph.index()] != 1) {
      return "its subgraph is entered from elsewhere too";
    }
    const TensorKind& kind = kinds_.at(output);
    if (kind.kind != Kind::kArena || kinds_.at(argument).kind != Kind::kArena ||
        kind.bytes == 0 || kind.bytes != kinds_.at(argument).bytes) {
      return "it and the output do not both have bytes in the arena, and as "
             "many";
    }
    if (Has(fixed_, output) || Has(fixed_, argument)) {
      return "a tensor in its or the output's bytes is to be kept or lies in "
             "the caller's memory";
    }
    if (callee == kCondition && Has(written_, argument)) {
      return "the condition writes over it";
    }
    return Returned(argument, callee == kBody ? position : kNowhere)
               ? "its bytes hold a result that is none for the next round's "
                 "argument"
               : std::string_view();
  }

  bool Has(const Flags& flags, TensorRef tensor) const {
    return flags[tensor.subgraph.index()][RootOf(tensor).index()];
  }

  // Whether the callee has a result in the argument's bytes, other than the
  // one at `position`. Results are copied back one after the other: the first
  // copy could destroy it.
  bool Returned(TensorRef argument, size_t position) const {
    const auto& outputs = model_.subgraph(argument.subgraph).outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i != position && outputs[i].valid() &&
          RootOf({argument.subgraph, outputs[i]}) == argument.tensor) {
        return true;
      }
    }
    return false;
  }

  static constexpr size_t kNowhere = static_cast<size_t>(-1);

  const graph::Model& model_;
  const Kinds& kinds_;
  const std::vector<AliasClasses>& aliases_;
  std::vector<int> calls_;  // By subgraph: who enters it.
  Flags written_;
  Flags fixed_;
  std::vector<LoopArgument> found_;
};

}  // namespace

std::vector<LoopArgument> FindLoopArguments(
    const graph::Model& model, const Timeline& timeline, const Kinds& kinds,
    const std::vector<AliasClasses>& aliases, const Rules& rules) {
  if (rules.in_place != InPlace::kSafe) return {};
  return Finder(model, kinds, aliases, rules).Run(timeline);
}

}  // namespace stowplan::schedule
