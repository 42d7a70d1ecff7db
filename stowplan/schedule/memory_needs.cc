// SPDX-License-Identifier: Apache-2.0
#include "stowplan/schedule/memory_needs.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/schedule/loop_state.h"

namespace stowplan::schedule {
namespace {

using graph::OperatorId;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using plan::BufferId;

Status CheckRules(const graph::Model& model, const Rules& rules) {
  if (!IsPowerOfTwo(rules.alignment) || rules.alignment > (Bytes{1} << 30)) {
    return UsageError("alignment " + std::to_string(rules.alignment),
                      "is not a power of two up to 2^30", "use 64, say");
  }
  if (!rules.entry.valid() || rules.entry.index() >= model.subgraphs.size()) {
    return BadInput("model", "it has no subgraph to run",
                    "a model needs at least one subgraph");
  }
  for (const TensorRef& kept : rules.keep) {
    if (!kept.subgraph.valid() || !kept.tensor.valid() ||
        kept.subgraph.index() >= model.subgraphs.size() ||
        kept.tensor.index() >= model.subgraph(kept.subgraph).tensors.size()) {
      return UsageError("keep", "there is no such tensor");
    }
  }
  return {};
}

// Fills the parts of MemoryNeeds that describe places.
class Builder {
 public:
  Builder(const graph::Model& model, MemoryNeeds* needs)
      : model_(model), needs_(*needs) {}

  Status Run() {
    for (const graph::Subgraph& subgraph : model_.subgraphs) {
      needs_.buffer_of.emplace_back(subgraph.tensors.size());
      needs_.persistent_offset.emplace_back(subgraph.tensors.size());
      joined_.emplace_back(subgraph.tensors.size());
    }
    JoinLoopStates();
    for (SubgraphId id : ReachedSubgraphs(needs_.timeline)) AddTensors(id);
    AddScratch();
    STOWPLAN_RETURN_IF_ERROR(MakeProblem());
    STOWPLAN_RETURN_IF_ERROR(PlacePersistent());
    CountMapped();
    return {};
  }

 private:
  void JoinLoopStates() {
    for (const LoopArgument& entry :
         FindLoopArguments(model_, needs_.timeline, needs_.kinds,
                           needs_.aliases, needs_.rules)) {
      const TensorRef argument = entry.argument;
      if (!entry.apart_because.empty()) continue;
      joined_[argument.subgraph.index()][argument.tensor.index()] =
          entry.output;
    }
  }

  void AddTensors(SubgraphId id) {
    const std::vector<TensorKind>& kinds = needs_.kinds.of[id.index()];
    const AliasClasses& classes = needs_.aliases[id.index()];
    // A root has a lower position in its class than its members only by the
    // order of the operators, not by its index: two rounds.
    for (size_t t = 0; t < kinds.size(); ++t) {
      if (kinds[t].kind != Kind::kArena || kinds[t].bytes == 0) continue;
      if (classes.root[t].index() != t) continue;
      // A loop's output has its buffer: its subgraph is reached before those
      // that it calls.
      if (const TensorRef output = joined_[id.index()][t];
          output.tensor.valid()) {
        Append(
            {id, TensorId::FromIndex(t)},
            needs_.buffer_of[output.subgraph.index()][output.tensor.index()]);
        continue;
      }
      needs_.buffer_of[id.index()][t] =
          Add({{{id, TensorId::FromIndex(t)}}, {}, kinds[t].bytes},
              needs_.uses[id.index()][t].live);
    }
    for (size_t t = 0; t < kinds.size(); ++t) {
      const size_t root = classes.root[t].index();
      if (kinds[t].kind != Kind::kArena || root == t) continue;
      const BufferId buffer = needs_.buffer_of[id.index()][root];
      if (buffer.valid()) Append({id, TensorId::FromIndex(t)}, buffer);
    }
  }

  void Append(TensorRef tensor, BufferId buffer) {
    const size_t s = tensor.subgraph.index();
    const size_t t = tensor.tensor.index();
    needs_.buffer_of[s][t] = buffer;
    needs_.contents[buffer.index()].tensors.push_back(tensor);
    const plan::LiveRange& live = needs_.uses[s][t].live;
    plan::LiveRange& all = live_[buffer.index()];
    all = {std::min(all.begin, live.begin), std::max(all.end, live.end)};
  }

  BufferId Add(BufferContent content, plan::LiveRange live) {
    const BufferId id = BufferId::FromIndex(needs_.contents.size());
    needs_.contents.push_back(std::move(content));
    live_.push_back(live);
    return id;
  }

  void AddScratch() {
    for (const StepInfo& step : needs_.timeline.steps) {
      if (!step.op.op.valid()) continue;
      const Bytes bytes = model_.subgraph(step.op.subgraph)
                              .operators[step.op.op.index()]
                              .scratch;
      if (bytes > 0) Add({{}, step.op, bytes}, step.span);
    }
  }

  Status MakeProblem() {
    std::vector<plan::Buffer> exact;
    std::vector<plan::Buffer> rounded;
    Bytes naive = 0;
    for (size_t i = 0; i < needs_.contents.size(); ++i) {
      const BufferContent& content = needs_.contents[i];
      const auto size = CheckedAlignUp(content.bytes, needs_.rules.alignment);
      const auto each =
          size ? CheckedMul(*size, std::max<Bytes>(1, Members(content))) : size;
      const auto sum = each ? CheckedAdd(naive, *each) : each;
      if (!size || !sum || *sum > (Bytes{1} << 61)) {
        return BadInput(PlaceOf(content), "the sum of sizes is over 2^61 bytes",
                        "check the shapes of the model");
      }
      naive = *sum;
      exact.push_back({content.bytes, 1, live_[i], {}, {}});
      rounded.push_back({*size, needs_.rules.alignment, live_[i], {}, {}});
    }
    STOWPLAN_TRY(problem, plan::Problem::Create(std::move(rounded)));
    STOWPLAN_TRY(unrounded, plan::Problem::Create(std::move(exact)));
    needs_.problem = std::move(problem);
    needs_.naive_bytes = naive;
    needs_.max_live_bytes = plan::MaxLiveBytes(unrounded);
    return {};
  }

  static Bytes Members(const BufferContent& content) {
    return static_cast<Bytes>(content.tensors.size());
  }

  std::string PlaceOf(const BufferContent& content) const {
    if (content.tensors.empty()) return "scratch";
    const TensorRef ref = content.tensors.front();
    return graph::PlaceOf(model_.subgraph(ref.subgraph), ref.tensor);
  }

  // Each variable or folded constant once, in ascending order of tensors.
  Status PlacePersistent() {
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      for (size_t t = 0; t < needs_.kinds.of[s].size(); ++t) {
        const TensorKind& kind = needs_.kinds.of[s][t];
        if (kind.kind != Kind::kPersistent) continue;
        const TensorRef self = {SubgraphId::FromIndex(s),
                                TensorId::FromIndex(t)};
        if (needs_.rules.shared_variables &&
            needs_.kinds.variable_of[s][t].tensor.valid()) {
          continue;
        }
        const TensorRef owner = PersistentOwner(self);
        std::optional<Bytes>& offset = needs_.persistent_offset[s][t];
        if (owner != self && Offset(owner)) {
          offset = Offset(owner);
          continue;
        }
        offset = needs_.persistent_bytes;
        const auto size = CheckedAlignUp(kind.bytes, needs_.rules.alignment);
        const auto end =
            size ? CheckedAdd(needs_.persistent_bytes, *size) : size;
        if (!end || *end > (Bytes{1} << 61)) {
          return BadInput(graph::PlaceOf(model_.subgraphs[s], self.tensor),
                          "persistent memory is over 2^61 bytes");
        }
        needs_.persistent_bytes = *end;
        if (owner != self) Offset(owner) = offset;
      }
    }
    return {};
  }

  std::optional<Bytes>& Offset(TensorRef ref) {
    return needs_.persistent_offset[ref.subgraph.index()][ref.tensor.index()];
  }

  // The tensor whose bytes it is: another handle of the same variable, or
  // what a view shows.
  TensorRef PersistentOwner(TensorRef ref) const {
    const TensorRef variable =
        needs_.kinds.variable_of[ref.subgraph.index()][ref.tensor.index()];
    if (variable.tensor.valid()) return variable;
    const TensorId root =
        needs_.aliases[ref.subgraph.index()].root[ref.tensor.index()];
    return {ref.subgraph, root};
  }

  // Tensors may share a constant's bytes, also across subgraphs.
  void CountMapped() {
    std::set<std::pair<const std::byte*, size_t>> seen;
    for (const graph::Subgraph& subgraph : model_.subgraphs) {
      for (const graph::Tensor& tensor : subgraph.tensors) {
        if (!tensor.constant || tensor.data.empty()) continue;
        if (seen.insert({tensor.data.data(), tensor.data.size()}).second) {
          needs_.mapped_bytes += static_cast<Bytes>(tensor.data.size());
        }
      }
    }
  }

  const graph::Model& model_;
  MemoryNeeds& needs_;
  std::vector<plan::LiveRange> live_;  // By BufferId.
  // By subgraph, root: the loop's output in whose bytes it lies, or invalid.
  std::vector<std::vector<TensorRef>> joined_;
};

}  // namespace

Result<MemoryNeeds> FindMemoryNeeds(const graph::Model& model,
                                    const Rules& rules,
                                    const std::vector<Dynamic>& known) {
  STOWPLAN_RETURN_IF_ERROR(CheckRules(model, rules));
  MemoryNeeds needs;
  needs.rules = rules;
  STOWPLAN_TRY(timeline, MakeTimeline(model, rules.entry));
  needs.timeline = std::move(timeline);
  needs.kinds = ClassifyTensors(model, needs.timeline, rules, known);
  needs.uses = FindLiveRanges(model, needs.timeline, rules);
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    needs.aliases.push_back(FindAliases(model, SubgraphId::FromIndex(s),
                                        needs.kinds, rules,
                                        &needs.refusals.emplace_back()));
  }
  STOWPLAN_RETURN_IF_ERROR(Builder(model, &needs).Run());
  return needs;
}

}  // namespace stowplan::schedule
