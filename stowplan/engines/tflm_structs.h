// SPDX-License-Identifier: Apache-2.0
//
// The sizes of TFLM's own structures: for pointers of four and of eight
// bytes, for a plain program and for the Python package.
#pragma once

#include "stowplan/base/bytes.h"
#include "stowplan/engines/tflm.h"

namespace stowplan::engines {

// In bytes. Enumerations count as `int`; where a compiler makes them shorter
// a structure can only shrink.
struct TflmStructs {
  Bytes pointer;
  // Objects that lie at the top of the tail, in this order.
  Bytes allocator;        // (Recording)SingleArenaBufferAllocator
  Bytes planner;          // GreedyMemoryPlanner
  Bytes micro_allocator;  // (Recording)MicroAllocator
  Bytes resources;        // MicroResourceVariables; only with variables
  Bytes resource;         // MicroResourceVariable, one each
  Bytes builtin_data_allocator;
  // Arrays.
  Bytes subgraph;     // SubgraphAllocations, one a subgraph
  Bytes eval_tensor;  // TfLiteEvalTensor, one a tensor
  Bytes node;         // NodeAndRegistration, one an operator
  Bytes scratch_handle;
  // Temporary or, for inputs and outputs of the graph, persistent.
  Bytes tensor;        // TfLiteTensor
  Bytes quantization;  // TfLiteAffineQuantization
  // Temporary.
  Bytes scratch_request;
  Bytes plan_entry;      // AllocationInfo, one a tensor and a scratch buffer
  Bytes planner_buffer;  // What the planner needs for each buffer
};

// A kernel may ask for as many scratch buffers; the table of requests is kept
// that much larger than what has been asked for.
constexpr Bytes kMostScratchPerKernel = 12;

// Zero points are kept as TfLiteIntArray: a count and one int each.
constexpr Bytes IntArrayBytes(Bytes count) { return 4 + 4 * count; }

constexpr TflmStructs StructsOf(const TflmOptions& options) {
  const bool wheel = options.build == TflmBuild::kWheel;
  if (options.pointer_bytes == 8) {
    return {8,  wheel ? 104 : 72,
            72, wheel ? 272 : 72,
            16, 40,
            16, wheel ? 24 : 16,
            24, 64,
            8,  64,
            24, 16,
            32, 40};
  }
  return {4,  wheel ? 52 : 36,
          44, wheel ? 136 : 36,
          12, 20,
          8,  wheel ? 12 : 8,
          12, 32,
          4,  40,
          12, 12,
          24, 40};
}

}  // namespace stowplan::engines
