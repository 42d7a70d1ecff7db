// SPDX-License-Identifier: Apache-2.0
//
// Proves a plan by running it. The model runs twice on the same inputs:
//
//   apart    every buffer has memory of its own, with guard bytes behind it
//   planned  as the plan says, and what is dead after an operator is filled
//            with poison, so that a read of it cannot give the right value
//
// After every operator both must have the same bits in all outputs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "stowplan/base/error.h"
#include "stowplan/runtime/interpreter.h"

namespace stowplan::runtime {

struct AuditFinding {
  enum class Kind {
    kDifference,  // An output has other bits than in memory of its own.
    kGuard,       // An operator wrote behind one of its buffers.
  };
  Kind kind = Kind::kDifference;
  int run = 0;            // From 1.
  graph::OperatorRef op;  // The first operator.
  std::string type;
  size_t output = 0;  // kDifference: which one.

  // "run 1: operator 12 (CONV_2D) of subgraph 0: output 0 differs".
  std::string ToString() const;
};

// Sets the inputs of the interpreter before each run.
using SetInputs = std::function<Status(Interpreter& interpreter)>;

// Nothing if all `runs` runs agree. `options.observer` is not called, the
// caller's memory and shared resources not used. Errors: those of the runs.
Result<std::optional<AuditFinding>> Audit(
    const graph::Model& model, const InterpreterOptions& options,
    const std::shared_ptr<const FileFacts>& facts, const SetInputs& set_inputs,
    int runs);

}  // namespace stowplan::runtime
