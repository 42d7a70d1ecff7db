// SPDX-License-Identifier: Apache-2.0
//
// What TensorFlow Lite Micro (TFLM) does with a model: where its planner puts
// every buffer, what it keeps at the arena's upper end, and the least arena
// that works, with the phase that decides it.
//
//   phase        what lies in the arena beside the persistent tail
//   initialise   the table of scratch requests
//   prepare      ... and the temporary tensors of one kernel at a time
//   plan         the table, a record for each tensor, the planner's arrays
//   run          the planned head: activations and scratch
//
// A recorder that looks at the arena when all is done sees the last phase
// only, which for small models is not the largest one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

enum class TflmBuild {
  kPlain,  // A program with the default allocator, without compression.
  kWheel,  // The Python package: recording allocator, tensor compression.
};

struct TflmOptions {
  int pointer_bytes = 4;  // 4 (a device) or 8 (a 64-bit host).
  TflmBuild build = TflmBuild::kPlain;
  // One entry a tensor, subgraph after subgraph: its offset in the head, or
  // -1 for one that is placed at run time. Empty: no offline plan.
  std::vector<int32_t> offline_offsets;
};

// What the planner is given, in its order: tensors, then scratch buffers.
struct TflmBuffer {
  graph::TensorRef tensor;  // Invalid for scratch, which has an operator.
  graph::OperatorRef op;
  Bytes bytes = 0;      // Before rounding up to 16.
  int64_t first = -1;   // TFLM's own steps, inclusive: 0 is the start of
  int64_t last = -1;    // the graph, each operator and callee adds one;
                        // -1 if no run touches it.
  bool pinned = false;  // By the offline plan.
  Bytes offset = 0;     // From the start of the arena.
};

struct TflmPhase {
  std::string name;
  Bytes bytes = 0;        // The least arena for this phase alone.
  graph::OperatorRef op;  // In "prepare", the operator that needs it.
};

struct TflmPlan {
  Bytes least_arena_bytes = 0;  // With its start at a multiple of 16.
  Bytes head_bytes = 0;
  Bytes tail_bytes = 0;  // In an arena that ends at a multiple of 16.
  std::vector<TflmPhase> phases;
  std::vector<TflmBuffer> buffers;
  // Operators that no kernel of the table implements; TFLM would not run the
  // model, and what such a kernel keeps is not counted. Each name once.
  std::vector<std::string> without_kernel;
  // In an arena of the least size, rounded up to 16.
  Layout layout;
};

// `model` as its file has it: TFLM takes the stored shapes and never infers
// any. Errors: kUsage for other pointers than 4 and 8; kBadInput for types
// without a size, unknown dimensions, sizes that do not fit, subgraphs that
// call each other too often and an offline plan of the wrong length.
// O(buffers^2 + operators).
Result<TflmPlan> PlanTflm(const graph::Model& model,
                          const TflmOptions& options);

// The name of the model's metadata entry that holds an offline plan.
inline constexpr std::string_view kTflmOfflinePlanName =
    "OfflineMemoryAllocation";

// The offsets in such an entry: little-endian words of four bytes, a version
// and a number of subgraphs (both unread by TFLM), a count and the offsets.
// Errors: kBadInput where the count is not `tensors` or the bytes end early,
// which TFLM does not notice.
Result<std::vector<int32_t>> ReadTflmOfflinePlan(
    std::span<const std::byte> content, size_t tensors);

}  // namespace stowplan::engines
