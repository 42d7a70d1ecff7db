// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/aliases.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stowplan::schedule {
namespace {

using graph::InPlaceClaim;
using graph::OperatorId;
using graph::SubgraphId;
using graph::TensorId;

constexpr int64_t kNever = -1;
constexpr int64_t kForever = INT64_MAX;

// One subgraph. Works through the operators in their order and unites classes
// as it goes; positions are those of the operators in the subgraph.
class AliasFinder {
 public:
  AliasFinder(const graph::Model& model, SubgraphId id, const Kinds& kinds,
              const Rules& rules)
      : subgraph_(model.subgraph(id)),
        id_(id),
        kinds_(kinds.of[id.index()]),
        rules_(rules) {
    const size_t count = subgraph_.tensors.size();
    classes_.alias_of.resize(count);
    classes_.root.resize(count);
    for (size_t t = 0; t < count; ++t) {
      classes_.root[t] = TensorId::FromIndex(t);
    }
    needed_by_.assign(count, TensorId());
    needed_until_.assign(count, kNever);
    readers_.assign(count, 0);
    is_input_.assign(count, false);
    for (TensorId input : subgraph_.inputs) {
      if (input.valid()) is_input_[input.index()] = true;
    }
    FindNeeds();
  }

  AliasClasses Run(std::vector<Refusal>* refusals) && {
    refusals_ = refusals;
    if (rules_.in_place != InPlace::kOff) {
      for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
        Share(OperatorId::FromIndex(i));
      }
    }
    for (TensorId& root : classes_.root) root = Root(root);
    return std::move(classes_);
  }

 private:
  void Need(TensorId tensor, int64_t until) {
    if (!tensor.valid()) return;
    needed_by_[tensor.index()] = tensor;
    needed_until_[tensor.index()] =
        std::max(needed_until_[tensor.index()], until);
  }

  // The last position at which each tensor's value is wanted.
  void FindNeeds() {
    for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
      for (TensorId input : subgraph_.operators[i].inputs) {
        if (!input.valid()) continue;
        const int64_t position = static_cast<int64_t>(i);
        // An operand used twice is one reader.
        if (needed_until_[input.index()] != position) {
          ++readers_[input.index()];
        }
        Need(input, position);
      }
    }
    const bool is_entry = id_ == rules_.entry;
    // A caller copies a callee's outputs once its last operator is done.
    if (!is_entry || rules_.outputs == Io::kKeep) {
      for (TensorId output : subgraph_.outputs) Need(output, kForever);
    }
    if (is_entry && rules_.inputs == Io::kKeep) {
      for (TensorId input : subgraph_.inputs) Need(input, kForever);
    }
    for (const graph::TensorRef& kept : rules_.keep) {
      if (kept.subgraph == id_) Need(kept.tensor, kForever);
    }
  }

  TensorId Root(TensorId tensor) {
    TensorId root = tensor;
    while (classes_.root[root.index()] != root) {
      root = classes_.root[root.index()];
    }
    while (classes_.root[tensor.index()] != root) {  // Path compression.
      tensor = std::exchange(classes_.root[tensor.index()], root);
    }
    return root;
  }

  void Unite(TensorId input, TensorId output) {
    const TensorId root = Root(input);
    classes_.alias_of[output.index()] = input;
    classes_.root[output.index()] = root;
    if (needed_until_[output.index()] > needed_until_[root.index()]) {
      needed_until_[root.index()] = needed_until_[output.index()];
      needed_by_[root.index()] = output;
    }
  }

  bool IsArena(TensorId tensor) const {
    return kinds_[tensor.index()].kind == Kind::kArena;
  }

  // A view of a constant lies with it, in the file or in persistent memory.
  bool SameMemory(TensorId a, TensorId b) const {
    const Kind kind = kinds_[a.index()].kind;
    return kind == kinds_[b.index()].kind &&
           (kind == Kind::kArena || kind == Kind::kPersistent ||
            kind == Kind::kMapped);
  }

  bool SameBytes(TensorId a, TensorId b) const {
    return kinds_[a.index()].bytes == kinds_[b.index()].bytes;
  }

  // Whether output 0 has not been united yet and can be.
  bool OutputIsFree(TensorId output) const {
    return !subgraph_.tensor(output).variable &&
           !classes_.alias_of[output.index()].valid() &&
           classes_.root[output.index()] == output &&
           !is_input_[output.index()];
  }

  void Share(OperatorId id) {
    const graph::Operator& op = subgraph_.operators[id.index()];
    if (op.kind == graph::OpKind::kWhile && !op.in_place) {
      return ShareLoop(id, op);
    }
    if (op.outputs.empty() || !op.outputs[0].valid()) return;
    const TensorId output = op.outputs[0];
    if (!OutputIsFree(output)) return;
    const graph::OpTraits& traits = graph::TraitsOf(op.kind);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const TensorId input = op.inputs[i];
      if (!input.valid() || input == output || !SameMemory(input, output) ||
          !SameBytes(input, output)) {
        continue;
      }
      if (graph::IsView(op, i) ||
          (IsArena(output) && MayOverwrite(op, traits, i) &&
           Overwrite(id, op, traits, i))) {
        Unite(input, output);
        return;
      }
    }
  }

  // A loop's state starts as its operands. It may be where they are if nobody
  // needs them any more; not if an operand is the start of two.
  void ShareLoop(OperatorId id, const graph::Operator& op) {
    if (rules_.in_place != InPlace::kSafe) return;
    const size_t count = std::min(op.inputs.size(), op.outputs.size());
    for (size_t i = 0; i < count; ++i) {
      const TensorId input = op.inputs[i];
      const TensorId output = op.outputs[i];
      if (!input.valid() || !output.valid() || !IsArena(input) ||
          !IsArena(output) || !SameBytes(input, output) ||
          !OutputIsFree(output) || IsOutside(output)) {
        continue;
      }
      const TensorId root = Root(input);
      const auto operands = std::count_if(
          op.inputs.begin(), op.inputs.end(),
          [&](TensorId other) { return other.valid() && Root(other) == root; });
      if (operands == 1 && needed_until_[root.index()] <= id.value()) {
        Unite(input, output);
      }
    }
  }

  bool IsOutside(TensorId tensor) const {
    return std::find(rules_.outside.begin(), rules_.outside.end(),
                     graph::TensorRef{id_, tensor}) != rules_.outside.end();
  }

  // Whether the operator has the right at all, whatever else is alive.
  bool MayOverwrite(const graph::Operator& op, const graph::OpTraits& traits,
                    size_t input) const {
    if (op.in_place) {
      return op.in_place->kind == InPlaceClaim::Kind::kOverwrite &&
             op.in_place->input == input;
    }
    const graph::Tensor& from = subgraph_.tensor(op.inputs[input]);
    const graph::Tensor& to = subgraph_.tensor(op.outputs[0]);
    return traits.sharing == graph::Sharing::kOverwrite &&
           traits.MayShare(input) && from.shape && from.shape == to.shape;
  }

  // Whether nobody loses anything by it.
  bool Overwrite(OperatorId id, const graph::Operator& op,
                 const graph::OpTraits& traits, size_t input) {
    const TensorId tensor = op.inputs[input];
    if (rules_.in_place == InPlace::kEngine) {
      return readers_[tensor.index()] == 1 &&
             needed_until_[tensor.index()] <= id.value();
    }
    const TensorId root = Root(tensor);
    if (needed_until_[root.index()] > id.value()) {
      return Refuse(id, tensor, needed_by_[root.index()],
                    needed_until_[root.index()] == kForever
                        ? "is wanted after the run"
                        : "is read by operator " +
                              std::to_string(needed_until_[root.index()]));
    }
    // Another operand in the same class must be one that may be overwritten
    // too, or the operator would read bytes it has already written.
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (i == input || !op.inputs[i].valid()) continue;
      if (Root(op.inputs[i]) == root && !traits.MayShare(i)) {
        return Refuse(id, tensor, op.inputs[i],
                      "is another operand of the same operator");
      }
    }
    return true;
  }

  bool Refuse(OperatorId id, TensorId input, TensorId blocker,
              std::string reason) {
    if (refusals_ != nullptr) {
      refusals_->push_back({id, input, blocker, std::move(reason)});
    }
    return false;
  }

  const graph::Subgraph& subgraph_;
  SubgraphId id_;
  const std::vector<TensorKind>& kinds_;
  const Rules& rules_;
  AliasClasses classes_;
  // By root: the last position at which the class is needed, and by whom.
  std::vector<int64_t> needed_until_;
  std::vector<TensorId> needed_by_;
  std::vector<int> readers_;    // By tensor.
  std::vector<bool> is_input_;  // By tensor: of the subgraph.
  std::vector<Refusal>* refusals_ = nullptr;
};

}  // namespace

AliasClasses FindAliases(const graph::Model& model, SubgraphId id,
                         const Kinds& kinds, const Rules& rules,
                         std::vector<Refusal>* refusals) {
  return AliasFinder(model, id, kinds, rules).Run(refusals);
}

}  // namespace stowplan::schedule
