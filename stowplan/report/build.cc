// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/build.h"

#include <algorithm>
#include <set>
#include <utility>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/occupancy.h"
#include "stowplan/report/advice.h"
#include "stowplan/report/demand.h"
#include "stowplan/report/labels.h"
#include "stowplan/report/names.h"
#include "stowplan/report/prices.h"
#include "stowplan/report/shape_text.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

using graph::OperatorId;
using graph::OperatorRef;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using plan::BufferId;
using plan::Step;
using schedule::InPlace;
using schedule::Io;
using schedule::Kind;
using schedule::MemoryNeeds;

template <class SomeId>
std::optional<int64_t> IndexOf(SomeId id) {
  if (!id.valid()) return std::nullopt;
  return id.value();
}

std::string NameOf(Io io) { return io == Io::kKeep ? "keep" : "recycle"; }

std::string NameOf(InPlace in_place) {
  switch (in_place) {
    case InPlace::kOff:
      return "off";
    case InPlace::kSafe:
      return "safe";
    case InPlace::kEngine:
      return "engine";
  }
  return "";
}

class Builder {
 public:
  Builder(const graph::Model& model, const MemoryNeeds& needs,
          const solve::Outcome& outcome)
      : model_(model), needs_(needs), outcome_(outcome) {}

  Result<Document> Run(const SourceInfo& source, const BuildOptions& options) {
    const plan::Bound bound = plan::LowerBound(needs_.problem);
    AddFacts(source, options);
    AddArena(bound);
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      AddTensors(SubgraphId::FromIndex(s));
    }
    AddBuffers();
    AddSteps();
    const Demand demand(model_, needs_);
    AddPeak(bound, demand);
    document_.dynamic = DynamicRows(model_, needs_.kinds);
    AddCalls();
    AddRefusals();
    document_.advice = Advise(document_, demand);
    AddNotes();
    if (options.prices) {
      STOWPLAN_TRY(prices, FindPrices(model_, needs_, bound.bytes));
      document_.prices = std::move(prices);
    }
    return std::move(document_);
  }

 private:
  size_t RowOf(TensorRef ref) const {
    return first_row_[ref.subgraph.index()] + ref.tensor.index();
  }

  void AddFacts(const SourceInfo& source, const BuildOptions& options) {
    document_.path = ToUtf8(source.path);
    document_.file_bytes = source.bytes;
    document_.mapped = source.mapped;
    document_.subgraphs = static_cast<int64_t>(model_.subgraphs.size());
    for (const graph::Subgraph& subgraph : model_.subgraphs) {
      document_.operators += static_cast<int64_t>(subgraph.operators.size());
    }
    const schedule::Rules& rules = needs_.rules;
    document_.options = {
        rules.alignment,
        NameOf(rules.inputs),
        NameOf(rules.outputs),
        NameOf(rules.in_place),
        options.order,
        options.solver.empty() ? outcome_.solver : options.solver,
        rules.fold_constants,
        {}};
    for (const TensorRef& kept : rules.keep) {
      document_.options.keep.push_back(NameOfTensor(model_, kept));
    }
    document_.persistent_bytes = needs_.persistent_bytes;
    document_.mapped_bytes = needs_.mapped_bytes;
  }

  void AddArena(const plan::Bound& bound) {
    Arena& arena = document_.arena;
    arena.bytes = outcome_.peak;
    arena.lower_bound = bound.bytes;
    arena.proved_bound = std::max(bound.bytes, outcome_.lower_bound);
    arena.verdict = outcome_.verdict;
    arena.proof = outcome_.proof;
    arena.found_by = outcome_.solver;
    arena.naive_bytes = needs_.naive_bytes;
    arena.max_live_bytes = needs_.max_live_bytes;
    arena.alignment_waste = bound.bytes - needs_.max_live_bytes;
  }

  void AddTensors(SubgraphId id) {
    const graph::Subgraph& subgraph = model_.subgraph(id);
    first_row_.push_back(document_.tensors.size());
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      document_.tensors.push_back(MakeRow(id, TensorId::FromIndex(t)));
    }
  }

  TensorRow MakeRow(SubgraphId id, TensorId tensor_id) const {
    const size_t s = id.index();
    const size_t t = tensor_id.index();
    const graph::Tensor& tensor = model_.subgraph(id).tensor(tensor_id);
    const schedule::TensorKind& kind = needs_.kinds.of[s][t];
    const schedule::TensorUse& use = needs_.uses[s][t];
    TensorRow row;
    row.subgraph = id.value();
    row.tensor = tensor_id.value();
    row.name = ToUtf8(tensor.name);
    row.kind = kind.kind;
    row.dtype = NameOf(tensor.dtype);
    row.shape = tensor.shape;
    row.bytes = kind.bytes;
    row.alias_of = IndexOf(needs_.aliases[s].alias_of[t]);
    row.producer = IndexOf(use.producer);
    row.last_reader = IndexOf(use.last_reader);
    row.producer_type = LabelOf(model_, {id, use.producer}).type;
    row.last_reader_type = LabelOf(model_, {id, use.last_reader}).type;
    if (kind.kind == Kind::kArena || kind.kind == Kind::kDynamic) {
      row.begin = use.live.begin;
      row.end = use.live.end;
    }
    if (kind.kind == Kind::kPersistent) {
      row.offset = needs_.persistent_offset[s][t];
    }
    const BufferId buffer = needs_.buffer_of[s][t];
    if (buffer.valid()) {
      row.buffer = IndexOf(buffer);
      row.offset = OffsetOf(buffer);
    } else if (kind.kind == Kind::kArena) {
      row.offset = 0;  // It has no bytes.
    }
    return row;
  }

  std::optional<Bytes> OffsetOf(BufferId buffer) const {
    if (outcome_.plan.offsets.empty()) return std::nullopt;
    return outcome_.plan.offset(buffer);
  }

  void AddBuffers() {
    for (size_t i = 0; i < needs_.contents.size(); ++i) {
      const schedule::BufferContent& content = needs_.contents[i];
      const BufferId id = BufferId::FromIndex(i);
      const plan::Buffer& placed = needs_.problem.buffer(id);
      BufferRow row;
      row.offset = OffsetOf(id);
      row.bytes = content.bytes;
      row.size = placed.size;
      row.live = placed.live;
      row.made_by = MadeBy(content);
      for (TensorRef ref : content.tensors) row.rows.push_back(RowOf(ref));
      if (content.tensors.empty()) {
        row.rows.push_back(document_.tensors.size());
        document_.tensors.push_back(ScratchRow(content, id));
      }
      document_.buffers.push_back(std::move(row));
    }
  }

  std::string MadeBy(const schedule::BufferContent& content) const {
    if (content.tensors.empty()) return "scratch";
    const TensorRef root = content.tensors.front();
    const OperatorId producer =
        needs_.uses[root.subgraph.index()][root.tensor.index()].producer;
    return producer.valid() ? LabelOf(model_, {root.subgraph, producer}).type
                            : "input";
  }

  TensorRow ScratchRow(const schedule::BufferContent& content,
                       BufferId id) const {
    const plan::Buffer& placed = needs_.problem.buffer(id);
    TensorRow row;
    row.subgraph = content.scratch_of.subgraph.value();
    row.name = "scratch of " + Describe(LabelOf(model_, content.scratch_of));
    row.kind = Kind::kScratch;
    row.bytes = content.bytes;
    row.offset = OffsetOf(id);
    row.begin = placed.live.begin;
    row.end = placed.live.end;
    row.owner = IndexOf(content.scratch_of.op);
    row.buffer = IndexOf(id);
    return row;
  }

  void AddSteps() {
    for (const schedule::StepInfo& step : needs_.timeline.steps) {
      document_.steps.push_back({LabelOf(model_, step.op), 0});
    }
    std::vector<Bytes> change(document_.steps.size() + 1);
    for (const plan::Occupancy& part : plan::OccupancyOf(needs_.problem)) {
      const Bytes bytes = part.whole
                              ? needs_.contents[part.buffer.index()].bytes
                              : part.bytes.end - part.bytes.begin;
      change[static_cast<size_t>(part.range.begin)] += bytes;
      change[static_cast<size_t>(part.range.end)] -= bytes;
    }
    Bytes live = 0;
    for (size_t s = 0; s < document_.steps.size(); ++s) {
      live += change[s];
      document_.steps[s].live_bytes = live;
    }
  }

  // The first step at which the most bytes are alive, not rounded.
  void AddPeak(const plan::Bound& bound, const Demand& demand) {
    Peak& peak = document_.peak;
    const auto most =
        std::max_element(document_.steps.begin(), document_.steps.end(),
                         [](const StepRow& a, const StepRow& b) {
                           return a.live_bytes < b.live_bytes;
                         });
    peak.step = static_cast<Step>(most - document_.steps.begin());
    peak.op = most->op;
    const std::vector<BufferId> used = demand.BuffersAt(peak.step);
    Bytes rounded = 0;
    for (size_t i = 0; i < document_.buffers.size(); ++i) {
      const BufferId id = BufferId::FromIndex(i);
      BufferRow& buffer = document_.buffers[i];
      if (!buffer.live.Contains(peak.step)) continue;
      buffer.at_peak = true;
      peak.bytes += buffer.bytes;
      rounded += buffer.size;
      peak.buffers.push_back(
          {i, LiveRow(buffer, peak.step), buffer.bytes,
           std::binary_search(used.begin(), used.end(), id)});
    }
    if (rounded < bound.bytes) {
      document_.notes.push_back(
          "Rounded up to the alignment, what is alive at step " +
          Grouped(bound.step) + ", " +
          Describe(document_.steps[static_cast<size_t>(bound.step)].op) +
          ", needs more: it sets the bound.");
    }
    std::stable_sort(peak.buffers.begin(), peak.buffers.end(),
                     [](const PeakBuffer& a, const PeakBuffer& b) {
                       return a.bytes > b.bytes;
                     });
  }

  // The first tensor of an alias class that is itself live at the step.
  size_t LiveRow(const BufferRow& buffer, Step step) const {
    for (size_t row : buffer.rows) {
      const TensorRow& tensor = document_.tensors[row];
      if (*tensor.begin <= step && step < *tensor.end) return row;
    }
    return buffer.rows.front();
  }

  // Each operator once, at its first step.
  void AddCalls() {
    std::set<OperatorRef> seen;
    const auto& steps = needs_.timeline.steps;
    for (size_t s = 0; s < steps.size(); ++s) {
      if (!steps[s].op.op.valid()) continue;
      const graph::Operator& op = model_.subgraph(steps[s].op.subgraph)
                                      .operators[steps[s].op.op.index()];
      if (op.callees.empty() || !seen.insert(steps[s].op).second) continue;
      CallRow row;
      row.step = static_cast<Step>(s);
      row.op = LabelOf(model_, steps[s].op);
      row.end = steps[s].span.end;
      row.outer_bytes = document_.steps[s].live_bytes;
      for (SubgraphId callee : op.callees)
        row.callees.push_back(callee.value());
      for (size_t i = s; i < static_cast<size_t>(steps[s].span.end); ++i) {
        row.inner_bytes = std::max(
            row.inner_bytes, document_.steps[i].live_bytes - row.outer_bytes);
      }
      document_.calls.push_back(std::move(row));
    }
  }

  void AddRefusals() {
    for (size_t s = 0; s < needs_.refusals.size(); ++s) {
      const SubgraphId id = SubgraphId::FromIndex(s);
      const graph::Subgraph& subgraph = model_.subgraph(id);
      for (const schedule::Refusal& refusal : needs_.refusals[s]) {
        RefusalRow row{LabelOf(model_, {id, refusal.op}), refusal.input.value(),
                       refusal.blocker.value(), ""};
        row.text = Describe(row.op) + " may not write over " +
                   ToUtf8(graph::PlaceOf(subgraph, refusal.input)) + ": ";
        if (refusal.blocker != refusal.input) {
          row.text += ToUtf8(graph::PlaceOf(subgraph, refusal.blocker)) +
                      ", which shares its bytes, ";
        } else {
          row.text += "it ";
        }
        row.text += refusal.reason;
        document_.refusals.push_back(std::move(row));
      }
    }
  }

  void AddNotes() {
    std::vector<std::string>& notes = document_.notes;
    if (needs_.rules.in_place == InPlace::kEngine) {
      notes.push_back(
          "--in-place engine overwrites as an engine claims it may; nothing "
          "proves that no value is lost, so judge the plan with 'stowplan "
          "verify'.");
    }
    if (!document_.dynamic.empty()) {
      notes.push_back(
          "The arena counts tensors of known size only; " +
          Count(static_cast<int64_t>(document_.dynamic.size()), "tensor") +
          " will take memory on top when the model runs.");
    }
    AddOpenInputs();
  }

  // Files store some size, mostly 1, for a dimension that they leave open.
  void AddOpenInputs() {
    const graph::Subgraph& entry = model_.subgraph(needs_.rules.entry);
    for (TensorId id : entry.inputs) {
      if (!id.valid()) continue;
      const graph::Tensor& tensor = entry.tensor(id);
      const bool open =
          std::count(tensor.signature.begin(), tensor.signature.end(),
                     graph::kUnknownDim) > 0;
      if (!open) continue;
      document_.notes.push_back(
          "Input " + NameOfTensor(model_, {needs_.rules.entry, id}) +
          " is declared " + ShapeText(tensor.signature) + " and planned as " +
          ShapeText(tensor.shape) + "; --shape plans it with other sizes.");
    }
  }

  const graph::Model& model_;
  const MemoryNeeds& needs_;
  const solve::Outcome& outcome_;
  Document document_;
  std::vector<size_t> first_row_;  // By subgraph.
};

}  // namespace

Result<Document> Build(const graph::Model& model, const MemoryNeeds& needs,
                       const solve::Outcome& outcome, const SourceInfo& source,
                       const BuildOptions& options) {
  const size_t offsets = outcome.plan.offsets.size();
  if (offsets != 0 && offsets != needs.problem.size()) {
    return InternalError(
        "report", "a plan of " + std::to_string(offsets) + " offsets for " +
                      std::to_string(needs.problem.size()) + " buffers");
  }
  return Builder(model, needs, outcome).Run(source, options);
}

}  // namespace stowplan::report
