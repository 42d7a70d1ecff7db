// SPDX-License-Identifier: Apache-2.0
//
// What a plan's user must know of its bytes: which rights to work in place
// were refused, and how long each tensor may be read.
#pragma once

#include <string>
#include <vector>

#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::engines {

// An operator's right to overwrite an operand that cannot be honoured.
struct InPlaceFinding {
  graph::OperatorRef op;
  graph::TensorRef operand;
  graph::TensorRef blocker;  // Of the same bytes, and needed later.
  std::string text;          // One sentence.
};

// In the order of the operators. O(refusals).
std::vector<InPlaceFinding> LintInPlace(const graph::Model& model,
                                        const schedule::MemoryNeeds& needs);

// How long a tensor's value lies where the plan puts it.
struct Readable {
  graph::TensorRef tensor;
  plan::Step from = 0;   // The step that writes it.
  plan::Step until = 0;  // The last step after which it can be read; the last
                         // step of the run if it can be read after it.
  bool after_run = false;
  graph::OperatorRef overwritten_by;  // Invalid if nobody does.
};

// For every tensor with bytes in an arena, in ascending order. A debugger that
// reads an intermediate tensor after the run sees its value only where
// `after_run` is true. O(pieces^2).
std::vector<Readable> FindReadable(const graph::Model& model,
                                   const Layout& layout);

// Both of a plan.
struct Lint {
  std::vector<InPlaceFinding> in_place;
  std::vector<Readable> readable;
};

}  // namespace stowplan::engines
