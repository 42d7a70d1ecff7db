// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/engine_document.h"

#include <algorithm>
#include <map>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/report/engine_peak.h"
#include "stowplan/report/engine_tflm.h"
#include "stowplan/report/labels.h"
#include "stowplan/report/names.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

using engines::Layout;
using engines::Owner;
using engines::Piece;
using engines::Region;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using schedule::Kind;

template <class SomeId>
std::optional<int64_t> IndexOf(SomeId id) {
  if (!id.valid()) return std::nullopt;
  return id.value();
}

class Describer {
 public:
  explicit Describer(const EnginePlan& plan)
      : plan_(plan),
        model_(*plan.model),
        layout_(*plan.layout),
        needs_(*plan.needs) {}

  Result<Document> Run(const SourceInfo& source) {
    AddFacts(source);
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      first_row_.push_back(document_.tensors.size());
      for (size_t t = 0; t < model_.subgraphs[s].tensors.size(); ++t) {
        AddTensor({SubgraphId::FromIndex(s), TensorId::FromIndex(t)});
      }
    }
    AddBases();
    for (size_t i = 0; i < layout_.pieces.size(); ++i) AddPiece(i);
    AddSteps();
    FindEnginePeak(model_, layout_.timeline, &document_);
    STOWPLAN_RETURN_IF_ERROR(AddArena());
    AddDynamic();
    AddArenas();
    if (is_tflm()) document_.tflm = TflmFiguresOf(plan_);
    AddNotes();
    return std::move(document_);
  }

 private:
  bool is_tflm() const { return plan_.tflm != nullptr; }

  void AddFacts(const SourceInfo& source) {
    document_.engine = ToUtf8(layout_.engine);
    document_.path = ToUtf8(source.path);
    document_.file_bytes = source.bytes;
    document_.mapped = source.mapped;
    document_.subgraphs = static_cast<int64_t>(model_.subgraphs.size());
    for (const graph::Subgraph& subgraph : model_.subgraphs) {
      document_.operators += static_cast<int64_t>(subgraph.operators.size());
    }
    document_.options = {layout_.alignment,
                         is_tflm() ? "recycle" : "keep",
                         "keep",
                         is_tflm() ? "off" : "engine",
                         "file",
                         "greedy",
                         !is_tflm(),
                         {}};
    document_.persistent_bytes =
        is_tflm() ? plan_.tflm->tail_bytes
                  : BytesOf(layout_, Region::Kind::kPersistent);
    document_.mapped_bytes = needs_.mapped_bytes;
    document_.advice.text = "These are " + document_.engine +
                            "'s own rules; stowplan report --engine all says "
                            "what other rules take, and why.";
  }

  // Where a piece lives.
  Kind KindOf(const Piece& piece) const {
    switch (layout_.regions[piece.region].kind) {
      case Region::Kind::kArena:
        return piece.owner == Owner::kScratch ? Kind::kScratch : Kind::kArena;
      case Region::Kind::kHeap:
        return Kind::kDynamic;
      default:
        return Kind::kPersistent;
    }
  }

  // What a row of a tensor and one of scratch have in common.
  void Place(const Piece& piece, TensorRow* row) const {
    row->kind = KindOf(piece);
    row->bytes = piece.bytes;
    row->offset = piece.offset;
    if (!piece.live.empty() && row->kind != Kind::kPersistent) {
      // The bytes are the root's; with it they are given back.
      row->begin = piece.live.begin;
      row->end = std::max(row->begin.value(),
                          std::min(piece.live.end, RootOf(piece).live.end));
    }
    row->arena = IndexOf(layout_.regions[piece.region].subgraph);
    row->engine_tensor = piece.engine_index;
    if (piece.phases.begin > 0 && piece.phases.begin < layout_.phases.size()) {
      row->phase = layout_.phases[piece.phases.begin].name;
    }
  }

  void AddTensor(TensorRef ref) {
    const size_t s = ref.subgraph.index();
    const size_t t = ref.tensor.index();
    const graph::Tensor& tensor =
        model_.subgraph(ref.subgraph).tensor(ref.tensor);
    const schedule::TensorUse& use = needs_.uses[s][t];
    TensorRow row;
    row.subgraph = ref.subgraph.value();
    row.tensor = ref.tensor.value();
    row.name = ToUtf8(tensor.name);
    row.dtype = NameOf(tensor.dtype);
    row.shape = tensor.shape;
    row.producer = IndexOf(use.producer);
    row.last_reader = IndexOf(use.last_reader);
    row.producer_type = LabelOf(model_, {ref.subgraph, use.producer}).type;
    row.last_reader_type =
        LabelOf(model_, {ref.subgraph, use.last_reader}).type;
    if (const auto at = layout_.piece_of[s][t]) {
      const Piece& piece = layout_.pieces[*at];
      Place(piece, &row);
      if (piece.alias_of.subgraph == ref.subgraph) {
        row.alias_of = IndexOf(piece.alias_of.tensor);
      }
    } else if (needs_.kinds.of[s][t].kind == Kind::kMapped) {
      row.kind = Kind::kMapped;
      row.bytes = needs_.kinds.of[s][t].bytes;
    }
    document_.tensors.push_back(std::move(row));
  }

  // The arenas stand one above the other in the picture.
  void AddBases() {
    Bytes base = 0;
    for (const Region& region : layout_.regions) {
      bases_.push_back(base);
      if (region.kind == Region::Kind::kArena) base += region.bytes;
    }
  }

  // The piece whose bytes a tensor's piece has, where it lies exactly on it.
  const Piece& RootOf(const Piece& piece) const {
    const Piece* root = &piece;
    for (size_t links = 0; links < layout_.pieces.size(); ++links) {
      const TensorRef next = root->alias_of;
      if (!next.tensor.valid()) break;
      const auto at =
          layout_.piece_of[next.subgraph.index()][next.tensor.index()];
      if (!at) break;
      const Piece& candidate = layout_.pieces[*at];
      if (candidate.region != piece.region ||
          candidate.offset != piece.offset) {
        break;
      }
      root = &candidate;
    }
    return *root;
  }

  void AddPiece(size_t i) {
    const Piece& piece = layout_.pieces[i];
    const bool tensor = piece.tensor.tensor.valid();
    size_t row = 0;
    if (tensor) {
      row = first_row_[piece.tensor.subgraph.index()] +
            piece.tensor.tensor.index();
    } else if (piece.bytes == 0 || piece.owner == Owner::kBookkeeping ||
               layout_.regions[piece.region].kind == Region::Kind::kTail) {
      return;  // Nothing, or in TflmFiguresOf.
    } else {
      row = document_.tensors.size();
      AddOwned(piece);
    }
    if (layout_.regions[piece.region].kind != Region::Kind::kArena ||
        piece.bytes == 0 || !piece.offset) {
      return;
    }
    size_t buffer = document_.buffers.size();
    const Piece& root = RootOf(piece);
    if (tensor) {
      buffer = buffer_of_.emplace(root.tensor, buffer).first->second;
    }
    if (buffer == document_.buffers.size()) {
      document_.buffers.push_back(NewBuffer(root));
      regions_.push_back(piece.region);
    }
    BufferRow& place = document_.buffers[buffer];
    place.bytes = std::max(place.bytes, piece.bytes);
    place.size =
        is_tflm() ? AlignUp(place.bytes, layout_.alignment) : place.bytes;
    place.rows.push_back(row);
    document_.tensors[row].buffer = static_cast<int64_t>(buffer);
  }

  BufferRow NewBuffer(const Piece& piece) const {
    BufferRow row;
    row.offset = bases_[piece.region] + *piece.offset;
    row.live = piece.live;
    row.made_by = piece.owner == Owner::kScratch ? "scratch"
                  : piece.op.op.valid() ? LabelOf(model_, piece.op).type
                                        : "input";
    return row;
  }

  // A row for an operator's own memory.
  void AddOwned(const Piece& piece) {
    TensorRow row;
    row.subgraph = piece.op.subgraph.valid() ? piece.op.subgraph.value() : 0;
    row.name = ToUtf8(piece.label.empty() ? "scratch" : piece.label);
    if (piece.op.op.valid())
      row.name += " of " + Describe(LabelOf(model_, piece.op));
    row.owner = IndexOf(piece.op.op);
    Place(piece, &row);
    document_.tensors.push_back(std::move(row));
  }

  void AddSteps() {
    for (const schedule::StepInfo& step : layout_.timeline.steps) {
      document_.steps.push_back({LabelOf(model_, step.op), 0});
    }
    std::vector<Bytes> change(document_.steps.size() + 1);
    for (const BufferRow& buffer : document_.buffers) {
      if (buffer.live.empty()) continue;
      change[static_cast<size_t>(buffer.live.begin)] += buffer.bytes;
      change[static_cast<size_t>(buffer.live.end)] -= buffer.bytes;
    }
    Bytes live = 0;
    for (size_t s = 0; s < document_.steps.size(); ++s) {
      live += change[s];
      document_.steps[s].live_bytes = live;
    }
  }

  Status AddArena() {
    Arena& arena = document_.arena;
    arena.bytes = is_tflm() ? plan_.tflm->head_bytes
                            : BytesOf(layout_, Region::Kind::kArena);
    std::map<size_t, std::vector<plan::Buffer>> needs;
    for (size_t b = 0; b < document_.buffers.size(); ++b) {
      const BufferRow& buffer = document_.buffers[b];
      for (size_t row : buffer.rows) {
        arena.naive_bytes +=
            AlignUp(document_.tensors[row].bytes, layout_.alignment);
      }
      if (buffer.live.empty()) continue;
      needs[regions_[b]].push_back(
          {buffer.size, layout_.alignment, buffer.live, std::nullopt, {}});
    }
    for (auto& [region, buffers] : needs) {
      STOWPLAN_TRY(problem, plan::Problem::Create(std::move(buffers)));
      // A subgraph that runs several times has the hull of its live ranges,
      // of which the bound would say too much.
      arena.lower_bound += std::min(plan::LowerBound(problem).bytes,
                                    layout_.regions[region].bytes);
    }
    arena.lower_bound = std::min(arena.lower_bound, arena.bytes);
    arena.proved_bound = arena.lower_bound;
    arena.verdict = arena.bytes == arena.lower_bound
                        ? solve::Verdict::kOptimal
                        : solve::Verdict::kFeasible;
    arena.found_by = document_.engine;
    arena.max_live_bytes = document_.peak.bytes;
    arena.alignment_waste =
        std::max<Bytes>(0, arena.lower_bound - arena.max_live_bytes);
    return {};
  }

  // What the graph does not tell, and what the engine keeps on the heap.
  void AddDynamic() {
    std::map<std::pair<int64_t, int64_t>, std::string> because;
    for (const DynamicRow& row : DynamicRows(model_, needs_.kinds)) {
      because[{row.subgraph, row.tensor}] = row.because;
    }
    for (const TensorRow& row : document_.tensors) {
      if (!row.tensor) continue;
      const auto known = because.find({row.subgraph, *row.tensor});
      if (row.kind != Kind::kDynamic && known == because.end()) continue;
      document_.dynamic.push_back(
          {row.subgraph, *row.tensor, row.name,
           known != because.end()
               ? known->second
               : document_.engine + " keeps it on the heap: it is computed "
                                    "or sized outside the plan"});
    }
  }

  void AddArenas() {
    if (is_tflm()) return;
    std::map<int64_t, ArenaRow> rows;
    for (const Region& region : layout_.regions) {
      if (!region.subgraph.valid()) continue;
      ArenaRow& row = rows[region.subgraph.value()];
      row.subgraph = region.subgraph.value();
      (region.kind == Region::Kind::kArena ? row.bytes
                                           : row.persistent_bytes) +=
          region.bytes;
    }
    for (const auto& entry : rows) document_.arenas.push_back(entry.second);
  }

  void AddNotes() {
    if (is_tflm() && !plan_.tflm->without_kernel.empty()) {
      document_.notes.push_back(
          "TFLM would not run this model: it has no "
          "kernel for some of its operators.");
    }
    if (!plan_.replay->ok()) {
      document_.notes.push_back(
          "This plan loses values: " +
          ToUtf8(engines::Describe(model_, plan_.replay->violations[0])) +
          ". See stowplan verify --engine " + document_.engine + ".");
    }
    for (const std::string& note : layout_.notes) {
      document_.notes.push_back(ToUtf8(note));
    }
  }

  const EnginePlan& plan_;
  const graph::Model& model_;
  const Layout& layout_;
  const schedule::MemoryNeeds& needs_;
  Document document_;
  std::vector<size_t> first_row_;          // By subgraph.
  std::vector<Bytes> bases_;               // By region, of the picture.
  std::vector<size_t> regions_;            // By buffer.
  std::map<TensorRef, size_t> buffer_of_;  // By root.
};

}  // namespace

Result<Document> DescribeEngine(const EnginePlan& plan,
                                const SourceInfo& source) {
  return Describer(plan).Run(source);
}

}  // namespace stowplan::report
