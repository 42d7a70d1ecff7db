// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "stowplan/base/checked_math.h"

namespace stowplan::engines {
namespace {

using Kind = ArenaRequest::Kind;

constexpr size_t kHead = 0;
constexpr size_t kTail = 1;
constexpr size_t kTemporary = 2;

class Builder {
 public:
  Builder(const graph::Model& model, const TflmOptions& options,
          const TflmUses& uses, const TflmTrace& trace, TflmPlan* plan)
      : model_(model),
        options_(options),
        uses_(uses),
        trace_(trace),
        plan_(*plan),
        layout_(plan->layout),
        places_(PlaceRequests(trace.requests, AlignUp(plan->least_arena_bytes,
                                                      kArenaAlignment))) {}

  void Build() {
    layout_.engine = "tflm";
    layout_.alignment = kArenaAlignment;
    layout_.regions = {{Region::Kind::kArena, {}, 0},
                       {Region::Kind::kTail, {}, 0},
                       {Region::Kind::kTemporary, {}, 0}};
    for (const TflmBuffer& buffer : plan_.buffers) {
      if (buffer.tensor.tensor.valid()) AddPlanned(buffer, Owner::kTensor);
    }
    AddTail();
    // Variables belong among the tensors, which come first, in order.
    std::stable_sort(layout_.pieces.begin(), layout_.pieces.end(), Before);
    for (const TflmBuffer& buffer : plan_.buffers) {
      if (!buffer.tensor.tensor.valid()) AddPlanned(buffer, Owner::kScratch);
    }
    AddTemporaries();
    for (const TflmPhase& phase : plan_.phases) {
      layout_.phases.push_back({phase.name, phase.bytes});
    }
    IndexPieces(model_, &layout_);
    AddNotes();
  }

 private:
  // Tensors in ascending order, then the rest as it is.
  static bool Before(const Piece& a, const Piece& b) {
    const bool a_tensor = a.tensor.tensor.valid();
    const bool b_tensor = b.tensor.tensor.valid();
    if (a_tensor != b_tensor) return a_tensor;
    return a_tensor && a.tensor < b.tensor;
  }

  plan::LiveRange RangeOf(int64_t first, int64_t last) const {
    if (last < 0) return {};
    const auto step = [&](int64_t at) {
      return uses_.step_of[static_cast<size_t>(std::max<int64_t>(at, 0))];
    };
    return plan::LiveRange::FromInclusive(step(first), step(last));
  }

  void AddPlanned(const TflmBuffer& buffer, Owner owner) {
    Piece piece;
    piece.owner = owner;
    piece.region = kHead;
    piece.tensor = buffer.tensor;
    piece.op = buffer.op;
    if (owner == Owner::kScratch) piece.label = "scratch";
    piece.bytes = buffer.bytes;
    piece.offset = buffer.offset;
    piece.live = RangeOf(buffer.first, buffer.last);
    piece.phases = {kTflmRun, kTflmPhases};
    layout_.pieces.push_back(std::move(piece));
  }

  bool Continues(size_t i) const {
    const TraceLabel& label = trace_.labels[i];
    return i > 0 && trace_.requests[i - 1].kind == Kind::kTail &&
           label.what == trace_.labels[i - 1].what &&
           label.op == trace_.labels[i - 1].op &&
           label.tensor == trace_.labels[i - 1].tensor &&
           trace_.requests[i].phase == trace_.requests[i - 1].phase;
  }

  // One piece for requests that follow each other for the same purpose.
  void AddTail() {
    Bytes above = AlignUp(plan_.least_arena_bytes, kArenaAlignment);
    const Bytes lowest = above - plan_.tail_bytes;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (trace_.requests[i].kind != Kind::kTail) continue;
      const TraceLabel& label = trace_.labels[i];
      const bool variable = label.tensor.tensor.valid();
      if (Continues(i) && !variable) {
        layout_.pieces.back().bytes += above - places_[i];
        layout_.pieces.back().offset = places_[i] - lowest;
      } else {
        Piece piece;
        piece.owner = variable ? Owner::kPersistent : label.owner;
        piece.region = kTail;
        piece.tensor = label.tensor;
        piece.op = label.op;
        piece.label = variable ? "" : label.what;
        piece.bytes = variable ? trace_.requests[i].bytes : above - places_[i];
        piece.offset = places_[i] - lowest;
        piece.live = {0, layout_.timeline.end()};
        piece.phases = {trace_.requests[i].phase, kTflmPhases};
        layout_.pieces.push_back(std::move(piece));
      }
      above = places_[i];
    }
  }

  void AddTemporaries() {
    for (size_t i = 0; i < places_.size(); ++i) {
      const ArenaRequest& request = trace_.requests[i];
      const TraceLabel& label = trace_.labels[i];
      const bool last_table = request.kind == Kind::kHead &&
                              request.phase != kTflmRun &&
                              (i + 1 == trace_.requests.size() ||
                               trace_.requests[i + 1].phase >= kTflmPlan);
      const bool decisive = request.kind == Kind::kTemp &&
                            request.phase == kTflmPrepare &&
                            label.op == plan_.phases[kTflmPrepare].op;
      const bool planning =
          request.phase == kTflmPlan &&
          (request.kind == Kind::kTemp || request.kind == Kind::kWorkspace);
      if (!last_table && !decisive && !planning) continue;
      Piece piece;
      piece.owner = Owner::kBookkeeping;
      piece.region = kTemporary;
      piece.op = decisive ? label.op : graph::OperatorRef();
      piece.label = label.what;
      piece.bytes = request.bytes;
      piece.offset = places_[i];
      piece.phases = {request.phase, request.phase + 1};
      layout_.pieces.push_back(std::move(piece));
    }
  }

  void AddNotes() {
    size_t decisive = 0;
    for (size_t p = 0; p < plan_.phases.size(); ++p) {
      if (plan_.phases[p].bytes > plan_.phases[decisive].bytes) decisive = p;
    }
    const TflmPhase& phase = plan_.phases[decisive];
    std::string text = "the least arena of " +
                       std::to_string(plan_.least_arena_bytes) +
                       " bytes is decided by phase " + phase.name;
    if (phase.op.op.valid()) {
      const graph::Operator& op =
          model_.subgraph(phase.op.subgraph).operators[phase.op.op.index()];
      text += " of operator " + std::to_string(phase.op.op.value()) +
              " of subgraph " + std::to_string(phase.op.subgraph.value()) +
              " (" + op.type + ")";
    }
    const Bytes recorded = plan_.head_bytes + plan_.tail_bytes;
    layout_.notes.push_back(text +
                            "; a recorder that looks when all is done "
                            "says " +
                            std::to_string(recorded));
    if (options_.build == TflmBuild::kPlain) {
      layout_.notes.push_back(
          "these are TFLM's reference kernels; those optimised for a target "
          "may ask for other scratch");
    }
    Bytes idle = 0;
    for (const TflmBuffer& buffer : plan_.buffers) {
      if (buffer.last < 0) idle += AlignUp(buffer.bytes, kArenaAlignment);
    }
    if (idle > 0) {
      layout_.notes.push_back(
          std::to_string(idle) +
          " bytes of the head are for what no operator of a run touches, such "
          "as the tensors of subgraphs that nobody calls; TFLM plans all of "
          "it as if in use at once");
    }
    for (const std::string& name : plan_.without_kernel) {
      layout_.notes.push_back("TFLM has no kernel for " + name +
                              ", or its memory depends on options that only "
                              "the kernel reads; it is not counted");
    }
  }

  const graph::Model& model_;
  const TflmOptions& options_;
  const TflmUses& uses_;
  const TflmTrace& trace_;
  TflmPlan& plan_;
  Layout& layout_;
  const std::vector<Bytes> places_;
};

}  // namespace

void FillTflmLayout(const graph::Model& model, const TflmOptions& options,
                    const TflmUses& uses, const TflmTrace& trace,
                    TflmPlan* plan) {
  Builder(model, options, uses, trace, plan).Build();
}

}  // namespace stowplan::engines
