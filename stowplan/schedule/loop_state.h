// SPDX-License-Identifier: Apache-2.0
//
// The state of a loop. A WHILE keeps it in its outputs, which may lie where its
// operands were (aliases.h); its condition and its body are given copies as
// their arguments. Where nobody can tell the difference, an argument lies in
// the output's bytes instead:
//
//   step                  WHILE | condition | body      | next reader
//   output, own bytes     #########################################
//   condition's argument        |###########|           |
//   body's argument             |           |####~~~~~~~|
//
//   all three in one      ####################~~~~~~~~~~###########
//
// `~`: the body may write over its argument in place. The output's value is
// gone then, but nobody reads it before the body's results are copied back.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "stowplan/graph/model.h"
#include "stowplan/graph/ref.h"
#include "stowplan/schedule/aliases.h"
#include "stowplan/schedule/kinds.h"
#include "stowplan/schedule/rules.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::schedule {

// An argument of a loop's condition or body, of the same position as the
// output.
struct LoopArgument {
  graph::OperatorRef loop;
  graph::TensorRef output;    // Of the WHILE.
  graph::TensorRef argument;  // With its alias class.
  // Why the argument has bytes of its own; empty if it lies in the output's.
  std::string_view apart_because;
};

// The arguments of all loops that run: by subgraph as they are reached,
// operator, position, condition before body. The output's live range spans the
// argument's. None at all unless rules.in_place is kSafe.
// REQUIRES: CheckModel accepts the model; `aliases` by subgraph.
// O(model).
std::vector<LoopArgument> FindLoopArguments(
    const graph::Model& model, const Timeline& timeline, const Kinds& kinds,
    const std::vector<AliasClasses>& aliases, const Rules& rules);

}  // namespace stowplan::schedule
