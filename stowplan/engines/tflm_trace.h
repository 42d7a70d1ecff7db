// SPDX-License-Identifier: Apache-2.0
//
// Everything that TFLM asks of its arena for one model, in its order.
#pragma once

#include <string>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/engines/tflm.h"
#include "stowplan/engines/tflm_arena.h"
#include "stowplan/graph/ref.h"

namespace stowplan::engines {

enum TflmPhaseId : size_t {
  kTflmInitialise,
  kTflmPrepare,
  kTflmPlan,
  kTflmRun,
  kTflmPhases,
};

// What a request is for.
struct TraceLabel {
  std::string what;         // "evaluation tensors", "operator data", ...
  graph::OperatorRef op;    // Invalid if it is no operator's.
  graph::TensorRef tensor;  // A variable, or the handle of one.
  Owner owner = Owner::kBookkeeping;
};

struct TflmScratch {
  graph::OperatorRef op;
  Bytes bytes = 0;
};

struct TflmTrace {
  std::vector<ArenaRequest> requests;
  std::vector<TraceLabel> labels;  // One for each request.
  std::vector<TflmScratch> scratch;
  // As in TflmPlan.
  std::vector<std::string> without_kernel;
};

// The requests up to the end of the prepare phase, which find out what
// scratch there is to plan. Errors as for RequestsOf. O(model).
Result<TflmTrace> TraceUntilPrepared(const graph::Model& model,
                                     const TflmOptions& options);

// Appends the plan and run phases. `planned_buffers`: how many the planner is
// given; `head`: the extent of its plan. `variables`: those that lie in the
// tail, in the order of the file, with their sizes.
struct TailVariable {
  graph::TensorRef tensor;
  Bytes bytes = 0;
  bool planned = false;  // In the head too, where kernels then look for it.
};
void TracePlanAndRun(const graph::Model& model, const TflmOptions& options,
                     const std::vector<TailVariable>& variables,
                     Bytes planned_buffers, Bytes head, TflmTrace* trace);

}  // namespace stowplan::engines
