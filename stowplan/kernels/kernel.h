// SPDX-License-Identifier: Apache-2.0
//
// The interface between the runtime and an operator's implementation.
//
// A kernel declares its memory before it runs and owns none:
//
//   Prepare(node) -> Needs    shapes and constants are known, no memory yet
//   the planner places        outputs, scratch (live for this step only) and
//                             persistent bytes
//   Setup(node)               once after placement: fills persistent bytes
//   Run(node)                 any number of times; no heap, no system calls
#pragma once

#include <span>
#include <string_view>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"
#include "stowplan/kernels/options.h"
#include "stowplan/kernels/tensor.h"

namespace stowplan::kernels {

// How integer results are scaled to the output's steps.
enum class Arithmetic : uint8_t {
  kFloat,   // In single precision, ties to even.
  kLiteRt,  // In fixed point, as LiteRT's built-in kernels do.
};

// One operator of a graph, bound to its tensors.
struct Node {
  std::string_view type;  // "CONV_2D", or a custom operator's own name.
  std::span<Tensor* const> inputs;  // Null: left out.
  std::span<Tensor* const> outputs;
  std::span<Tensor* const> intermediates;  // Carry quantisation only.
  Options options;
  std::span<const std::byte> custom_options;
  Arithmetic arithmetic = Arithmetic::kFloat;
  std::byte* scratch = nullptr;
  std::byte* persistent = nullptr;
  const void* user = nullptr;  // What the kernel was registered with.

  // Null if the operator has no such input, or it was left out.
  const Tensor* input(size_t i) const {
    return i < inputs.size() ? inputs[i] : nullptr;
  }
  // Variables are inputs that an operator writes.
  Tensor* variable(size_t i) const {
    return i < inputs.size() ? inputs[i] : nullptr;
  }
  // REQUIRES: i < outputs.size().
  Tensor& output(size_t i = 0) const { return *outputs[i]; }
};

// What an operator needs beside its inputs and outputs.
struct Needs {
  Bytes persistent = 0;  // Kept from Setup on, through all runs.
  Bytes scratch = 0;     // During Run only.
  Bytes alignment = 16;  // Of both; a power of two up to 64.
  // Inputs that output 0 may lie on, one bit each. Only where size and shape
  // are the same and the input's value is not wanted any more.
  uint8_t in_place = 0;
};

using PrepareFunction = Result<Needs> (*)(const Node& node);
using RunFunction = Status (*)(const Node& node);
// Where only the data decides an output's shape: the shapes of all outputs,
// into `shapes`, which has one entry for each. The inputs are computed.
using ShapeFunction = Status (*)(const Node& node, std::span<Shape> shapes);

// One row of the table of operators.
struct Kernel {
  std::string_view type;
  PrepareFunction prepare = nullptr;
  RunFunction run = nullptr;
  ShapeFunction shapes = nullptr;  // Null: the graph's shapes are enough.
  RunFunction setup = nullptr;     // Null: there is nothing to set up.
  const void* user = nullptr;      // Passed on in Node::user.
};

// The error of a kernel that has no code for these types or options.
tl::unexpected<Error> Unsupported(const Node& node, std::string what);

}  // namespace stowplan::kernels
