// SPDX-License-Identifier: Apache-2.0
//
// Alias classes: tensors that share their bytes, because one is a view of the
// other or because an operator writes its output over a dying input.
//
// The rule for overwriting is decided on whole classes. An operator may write
// over a class only if no tensor of it, through any chain of views, is read by
// a later operator or wanted after the run. To look at the direct input alone
// is not enough:
//
//   a --RESHAPE--> b --RESHAPE--> c --MUL--> d     c has one reader and a has
//                  |                         |     one reader, but d over c
//                  '-------------------------+-ADD would destroy b, which ADD
//                                                  still reads.
//
// A WHILE has the same right for each of its outputs, over the operand at the
// same position: there its state starts.
#pragma once

#include <string>
#include <vector>

#include "stowplan/graph/ref.h"
#include "stowplan/schedule/kinds.h"
#include "stowplan/schedule/rules.h"

namespace stowplan::schedule {

// The classes of one subgraph's tensors. They never reach into another
// subgraph: values are copied at a call. What a loop carries may lie in one
// place all the same; see loop_state.h.
struct AliasClasses {
  // By tensor: the tensor whose bytes it shares directly, invalid if none.
  std::vector<graph::TensorId> alias_of;
  // By tensor: the first of its class, itself if it shares with none.
  std::vector<graph::TensorId> root;
};

// A right to share that an operator has and the rule refused.
struct Refusal {
  graph::OperatorId op;
  graph::TensorId input;    // Would have been overwritten.
  graph::TensorId blocker;  // The tensor of its class that is needed later.
  std::string reason;       // In words.
};

// `kinds` as ClassifyTensors gives them. Refusals, if wanted, in the order of
// the operators. O(tensors + operators), amortised.
AliasClasses FindAliases(const graph::Model& model, graph::SubgraphId id,
                         const Kinds& kinds, const Rules& rules,
                         std::vector<Refusal>* refusals = nullptr);

}  // namespace stowplan::schedule
