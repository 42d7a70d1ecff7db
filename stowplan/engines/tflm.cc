// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm.h"

#include <algorithm>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/engines/tflm_arena.h"
#include "stowplan/engines/tflm_greedy.h"
#include "stowplan/engines/tflm_kernels.h"
#include "stowplan/engines/tflm_layout.h"
#include "stowplan/engines/tflm_sizes.h"
#include "stowplan/engines/tflm_trace.h"
#include "stowplan/engines/tflm_uses.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::engines {
namespace {

using graph::Subgraph;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

constexpr int32_t kAtRunTime = -1;
constexpr Bytes kMostBytes = Bytes{1} << 60;

size_t TensorsOf(const graph::Model& model) {
  size_t count = 0;
  for (const Subgraph& subgraph : model.subgraphs) {
    count += subgraph.tensors.size();
  }
  return count;
}

Status CheckOptions(const graph::Model& model, const TflmOptions& options) {
  if (options.pointer_bytes != 4 && options.pointer_bytes != 8) {
    return UsageError("pointer bytes",
                      std::to_string(options.pointer_bytes) +
                          " is no size of a pointer that TFLM runs with",
                      "use 4 for a device or 8 for a 64-bit host");
  }
  if (!options.offline_offsets.empty() &&
      options.offline_offsets.size() != TensorsOf(model)) {
    return BadInput(
        "offline plan",
        "it places " + std::to_string(options.offline_offsets.size()) +
            " tensors, and the model has " + std::to_string(TensorsOf(model)),
        "write the plan anew for this model");
  }
  return {};
}

// Where TFLM puts what has to lie in the arena.
struct Sorted {
  std::vector<TflmBuffer> planned;      // In the head, by the planner.
  std::vector<TailVariable> variables;  // In the tail.
  std::vector<TensorRef> nowhere;       // Variables that it forgets.
};

class Sorter {
 public:
  Sorter(const graph::Model& model, const TflmOptions& options,
         const TflmUses& uses)
      : model_(model), options_(options), uses_(uses) {}

  Result<Sorted> Sort() {
    size_t base = 0;
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      const Subgraph& subgraph = model_.subgraphs[s];
      STOWPLAN_TRY(bytes, TflmBytesOf(subgraph));
      const std::vector<bool> handles = Handles(subgraph);
      for (size_t i = 0; i < subgraph.tensors.size(); ++i) {
        const TensorRef ref = {SubgraphId::FromIndex(s),
                               TensorId::FromIndex(i)};
        if (IsMapped(subgraph.tensors[i])) continue;
        if (subgraph.tensors[i].variable) {
          AddVariable(ref, bytes[i], Offline(i), Offline(base + i));
        } else if (bytes[i] > 0 && !handles[i]) {
          AddPlanned(ref, bytes[i], Offline(base + i));
        }
      }
      base += subgraph.tensors.size();
    }
    return std::move(sorted_);
  }

 private:
  int32_t Offline(size_t index) const {
    return options_.offline_offsets.empty() ? kAtRunTime
                                            : options_.offline_offsets[index];
  }

  void AddPlanned(TensorRef ref, Bytes bytes, int32_t offline) {
    const TflmUse use = uses_.tensors[ref.subgraph.index()][ref.tensor.index()];
    sorted_.planned.push_back({ref,
                               {},
                               bytes,
                               use.first,
                               use.last,
                               offline != kAtRunTime,
                               std::max<Bytes>(offline, 0)});
  }

  // TFLM gives the variables of every subgraph memory in the tail by the
  // offline plan's first entries, those of the first subgraph, and a place in
  // the head by their own. So they may lie in both, or nowhere.
  void AddVariable(TensorRef ref, Bytes bytes, int32_t of_first,
                   int32_t offline) {
    const bool tail = of_first == kAtRunTime;
    const bool head = offline != kAtRunTime;
    if (tail) sorted_.variables.push_back({ref, bytes, head});
    if (head) AddPlanned(ref, bytes, offline);
    if (!tail && !head) sorted_.nowhere.push_back(ref);
  }

  // The outputs of VAR_HANDLE, which lie in the kernel's own data.
  static std::vector<bool> Handles(const Subgraph& subgraph) {
    std::vector<bool> handles(subgraph.tensors.size(), false);
    for (const graph::Operator& op : subgraph.operators) {
      if (op.kind != graph::OpKind::kVarHandle) continue;
      for (TensorId id : op.outputs) {
        if (id.valid()) handles[id.index()] = true;
      }
    }
    return handles;
  }

  const graph::Model& model_;
  const TflmOptions& options_;
  const TflmUses& uses_;
  Sorted sorted_;
};

// Sets the offsets. Gives back the extent.
Result<Bytes> Place(std::vector<TflmBuffer>* buffers) {
  std::vector<GreedyBuffer> given;
  given.reserve(buffers->size());
  Bytes sum = 0;
  for (const TflmBuffer& buffer : *buffers) {
    GreedyBuffer one = {AlignUp(buffer.bytes, kArenaAlignment), buffer.first,
                        buffer.last, std::nullopt};
    if (buffer.pinned) one.pinned = buffer.offset;
    sum += one.bytes + buffer.offset;
    if (sum > kMostBytes) {
      return BadInput("model", "the sizes of its tensors do not fit",
                      "check their shapes");
    }
    given.push_back(one);
  }
  const std::vector<Bytes> offsets = PlaceGreedily(given);
  for (size_t i = 0; i < offsets.size(); ++i) {
    (*buffers)[i].offset = offsets[i];
  }
  return TopOf(given, offsets);
}

// The head, the tail and the least arena.
void Measure(const TflmTrace& trace, const TflmOptions& options, Bytes head,
             TflmPlan* plan) {
  const ArenaNeed need =
      FindLeastArena(trace.requests, kTflmPhases, options.pointer_bytes);
  plan->least_arena_bytes = need.bytes;
  plan->head_bytes = head;
  for (const char* name : {"initialise", "prepare", "plan", "run"}) {
    const ArenaNeed::Phase& phase = need.phases[plan->phases.size()];
    const graph::OperatorRef op =
        plan->phases.size() == kTflmPrepare && phase.entered
            ? trace.labels[phase.request].op
            : graph::OperatorRef();
    plan->phases.push_back({name, phase.bytes, op});
  }
  const Bytes size = AlignUp(need.bytes, kArenaAlignment);
  const std::vector<Bytes> places = PlaceRequests(trace.requests, size);
  Bytes lowest = size;
  for (size_t i = 0; i < places.size(); ++i) {
    if (trace.requests[i].kind == ArenaRequest::Kind::kTail) lowest = places[i];
  }
  plan->tail_bytes = size - lowest;
}

}  // namespace

Result<TflmPlan> PlanTflm(const graph::Model& model,
                          const TflmOptions& options) {
  STOWPLAN_RETURN_IF_ERROR(CheckOptions(model, options));
  TflmPlan plan;
  if (model.subgraphs.empty()) {
    return BadInput("model", "it has no subgraph", "give a model that has one");
  }
  STOWPLAN_TRY(timeline, schedule::MakeTimeline(model, SubgraphId(0)));
  plan.layout.timeline = std::move(timeline);
  STOWPLAN_TRY(uses, FindTflmUses(model, plan.layout.timeline));
  STOWPLAN_TRY(trace, TraceUntilPrepared(model, options));

  STOWPLAN_TRY(sorted, Sorter(model, options, uses).Sort());
  plan.buffers = std::move(sorted.planned);
  for (const TflmScratch& scratch : trace.scratch) {
    const TflmUse use =
        uses.operators[scratch.op.subgraph.index()][scratch.op.op.index()];
    plan.buffers.push_back(
        {{}, scratch.op, scratch.bytes, use.first, use.last, false, 0});
  }
  STOWPLAN_TRY(head, Place(&plan.buffers));
  TracePlanAndRun(model, options, sorted.variables,
                  static_cast<Bytes>(plan.buffers.size()), head, &trace);
  Measure(trace, options, head, &plan);
  plan.without_kernel = trace.without_kernel;
  FillTflmLayout(model, options, uses, trace, &plan);
  for (const TensorRef& ref : sorted.nowhere) {
    plan.layout.notes.push_back(
        "subgraph " + std::to_string(ref.subgraph.value()) + ", " +
        graph::PlaceOf(model.subgraph(ref.subgraph), ref.tensor) +
        ": TFLM gives this variable no memory, since the offline plan places "
        "the tensor of that number in subgraph 0; it crashes");
  }
  return plan;
}

}  // namespace stowplan::engines
