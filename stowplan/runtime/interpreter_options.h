// SPDX-License-Identifier: Apache-2.0
//
// What an interpreter is told, and what it tells of tensors and memory.
//
// All memory of a run can be the caller's, in one block:
//
//   alignas(64) static std::byte block[200 * 1024];
//   options.memory = block;
//
//   [persistent][arena                ][overflow: what is left            ]
//
// or in a block for each part. Too little of it is one error, from
// AllocateTensors, that says how many bytes are missing; MemoryUse::needed
// then says how many a block must have.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stowplan/graph/model.h"
#include "stowplan/kernels/registry.h"
#include "stowplan/runtime/arena.h"
#include "stowplan/runtime/observer.h"
#include "stowplan/runtime/program.h"
#include "stowplan/runtime/resources.h"

namespace stowplan::runtime {

struct InterpreterOptions {
  Planner planner;  // REQUIRED.
  kernels::Registry registry = kernels::Registry::Reference();
  kernels::Arithmetic arithmetic = kernels::Arithmetic::kFloat;
  // Inputs and outputs recycled or kept, tensors to keep, alignment. The
  // entry is chosen by `signature`.
  schedule::Rules rules;
  // An entry point by its key; empty: the first subgraph.
  std::string signature;
  // Shapes of inputs by name, as graph::InferShapes takes them; ResizeInput
  // goes before.
  graph::ShapeOverrides shapes;
  Shrink shrink = Shrink::kShrink;  // When a new plan needs less.
  Bytes overflow_limit = Bytes{1} << 30;
  // Of all WHILE loops of one run together: a file may loop for ever.
  int64_t max_iterations = int64_t{1} << 24;
  // Plans kept for shapes that come back; a plan is 8 bytes a buffer.
  size_t cached_plans = 16;
  // Memory of the caller, each part or one block for all; without an address:
  // from the heap.
  std::span<std::byte> arena;
  std::span<std::byte> persistent;
  std::span<std::byte> overflow;
  std::span<std::byte> memory;
  // Resource variables shared with other interpreters; null: its own.
  Resources* resources = nullptr;
  Observer* observer = nullptr;
};

// A tensor's bytes and what they are.
struct TensorView {
  std::string_view name;
  DType dtype = DType::kFloat32;
  std::span<const int64_t> shape;
  const graph::Quantization* quantization = nullptr;
  std::span<std::byte> data;
};

struct MemoryUse {
  Bytes arena = 0;       // What the plan needs.
  Bytes arena_held = 0;  // What is held for it.
  Bytes persistent = 0;
  Bytes overflow = 0;  // High water.
  int64_t overflow_growths = 0;
  Bytes persistent_held = 0;
  Bytes overflow_held = 0;
  // What one block must have from its first multiple of 64 on, overflow not
  // counted, by the last AllocateTensors, whether or not there was so much.
  Bytes needed = 0;
  size_t cached_plans = 0;
};

}  // namespace stowplan::runtime
