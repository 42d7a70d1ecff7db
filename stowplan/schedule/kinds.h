// SPDX-License-Identifier: Apache-2.0
//
// Where each tensor of a model lives.
#pragma once

#include <string>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/graph/infer_shapes.h"
#include "stowplan/graph/model.h"
#include "stowplan/schedule/rules.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::schedule {

enum class Kind {
  kMapped,      // A constant, read where it lies in the mapped file.
  kArena,       // Planned; its bytes mean something during a run only.
  kPersistent,  // Planned once; outlives a run: variables, folded constants.
  kDynamic,     // Its size is known only when the model runs.
  kScratch,     // An operator's own, during its step. Never a tensor's.
  kNone,        // Needs no bytes: unused, or in a subgraph that does not run.
};

// "mapped", "arena", "persistent", "dynamic", "scratch", "none".
std::string_view NameOf(Kind kind);

// A tensor whose size only a run decides, the operator to blame (invalid if
// none is) and why, in words.
using Dynamic = graph::UnknownShape;

struct TensorKind {
  Kind kind = Kind::kNone;
  Bytes bytes = 0;  // Of its value; of a resource handle, of the variable.
};

struct Kinds {
  std::vector<std::vector<TensorKind>> of;  // By subgraph, tensor.
  std::vector<Dynamic> dynamic;             // In ascending order of tensors.
  // Resource handles that name the same variable, each handle with the first
  // one; by subgraph, tensor.
  std::vector<std::vector<graph::TensorRef>> variable_of;

  const TensorKind& at(graph::TensorRef ref) const {
    return of[ref.subgraph.index()][ref.tensor.index()];
  }
};

// Tensors of subgraphs that `timeline` does not reach are constants or kNone.
// `known` says what shape inference could not find out; a tensor without a
// known size that it does not name is reported with its producer. O(model).
Kinds ClassifyTensors(const graph::Model& model, const Timeline& timeline,
                      const Rules& rules, const std::vector<Dynamic>& known);

}  // namespace stowplan::schedule
