// SPDX-License-Identifier: Apache-2.0
//
// The one check of what every model promises (see Model), used by all
// importers, so that no later stage has to doubt an id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"

namespace stowplan::graph {

// What is wrong with a model, and where:
// subgraphs[subgraph].list[index].field[position]. Parts that do not apply
// are -1 or empty.
struct ModelFault {
  int64_t subgraph = -1;
  std::string list;  // "tensors", "ops", "inputs", "outputs", "signatures".
  int64_t index = -1;
  std::string field;  // "inputs", "shape", "calls", ...
  int64_t position = -1;
  std::string what;
  std::string remedy;
};

// How deep subgraphs may call each other, so that a walk over callees may
// recurse.
constexpr int kMaxCallDepth = 64;

// The first fault of the model, or nothing if it keeps all invariants:
// - all ids are valid in their subgraph (inputs and intermediates of an
//   operator may be left out), and counts fit an id;
// - no tensor has more than kMaxRank dimensions, none of them is below -1, no
// size is negative or does not fit in 64 bits;
// - a tensor is written at most once, never if it is constant or an input of
//   its subgraph, and not read before it is written;
// - IF, WHILE, CALL_ONCE and the other callers name the right number of
//   callees, whose inputs and outputs match in number;
// - callees form no cycle and are at most kMaxCallDepth deep;
// - in-place claims name an existing input; the alignment is a power of two.
// O(size of the model).
std::optional<ModelFault> FindFault(const Model& model);

// The same as an error that names subgraph, operator and tensor (kBadInput).
Status CheckModel(const Model& model);

}  // namespace stowplan::graph
