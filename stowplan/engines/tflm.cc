// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm.h"

#include <algorithm>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/engines/tflm_arena.h"
#include "stowplan/engines/tflm_greedy.h"
#include "stowplan/engines/tflm_kernels.h"
#include "stowplan/engines/tflm_layout.h"
#include "stowplan/engines/tflm_lifetimes.h"
#include "stowplan/engines/tflm_trace.h"
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

// Which tensors the planner is given, and which lie in the tail.
class Sorter {
 public:
  Sorter(const graph::Model& model, const TflmOptions& options,
         const TflmLifetimes& lifetimes)
      : model_(model), options_(options), lifetimes_(lifetimes) {}

  Status Sort(std::vector<TflmBuffer>* buffers,
              std::vector<TailVariable>* variables) {
    size_t base = 0;
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      const Subgraph& subgraph = model_.subgraphs[s];
      const std::vector<bool> handles = Handles(subgraph);
      for (size_t i = 0; i < subgraph.tensors.size(); ++i) {
        const TensorRef ref = {SubgraphId::FromIndex(s),
                               TensorId::FromIndex(i)};
        const graph::Tensor& tensor = subgraph.tensors[i];
        if (!tensor.variable && (tensor.constant || !tensor.data.empty())) {
          continue;
        }
        STOWPLAN_TRY(bytes, TflmBytesOf(subgraph, ref.tensor));
        // TFLM judges the variables of every subgraph by the first entries of
        // the offline plan, but places them by their own.
        if (tensor.variable && Offline(i) == kAtRunTime) {
          variables->push_back({ref, bytes});
          continue;
        }
        const int32_t offline = Offline(base + i);
        if (tensor.variable && offline == kAtRunTime) continue;
        if (bytes == 0 || handles[i]) continue;
        const TflmUse use = lifetimes_.tensors[s][i];
        buffers->push_back({ref,
                            {},
                            bytes,
                            use.first,
                            use.last,
                            offline != kAtRunTime,
                            std::max<Bytes>(offline, 0)});
      }
      base += subgraph.tensors.size();
    }
    return {};
  }

 private:
  int32_t Offline(size_t index) const {
    return options_.offline_offsets.empty() ? kAtRunTime
                                            : options_.offline_offsets[index];
  }

  // The outputs of VAR_HANDLE, which lie in the kernel's own data.
  static std::vector<bool> Handles(const Subgraph& subgraph) {
    std::vector<bool> handles(subgraph.tensors.size(), false);
    for (const graph::Operator& op : subgraph.operators) {
      if (op.kind != graph::OpKind::kVarHandle) continue;
      for (TensorId id : op.outputs) handles[id.index()] = true;
    }
    return handles;
  }

  const graph::Model& model_;
  const TflmOptions& options_;
  const TflmLifetimes& lifetimes_;
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
  STOWPLAN_TRY(lifetimes, FindTflmLifetimes(model, plan.layout.timeline));
  STOWPLAN_TRY(trace, TraceUntilPrepared(model, options));

  std::vector<TailVariable> variables;
  STOWPLAN_RETURN_IF_ERROR(
      Sorter(model, options, lifetimes).Sort(&plan.buffers, &variables));
  for (const TflmScratch& scratch : trace.scratch) {
    const TflmUse use =
        lifetimes.operators[scratch.op.subgraph.index()][scratch.op.op.index()];
    plan.buffers.push_back(
        {{}, scratch.op, scratch.bytes, use.first, use.last, false, 0});
  }
  STOWPLAN_TRY(head, Place(&plan.buffers));
  TracePlanAndRun(model, options, variables,
                  static_cast<Bytes>(plan.buffers.size()), head, &trace);
  Measure(trace, options, head, &plan);
  plan.without_kernel = trace.without_kernel;
  FillTflmLayout(model, lifetimes, trace, &plan);
  return plan;
}

}  // namespace stowplan::engines
