// SPDX-License-Identifier: Apache-2.0
//
// What LiteRT's kernels decide before anything is placed: how each tensor is
// held, and which temporary tensors they add.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

// How LiteRT holds a tensor.
enum class Holding {
  kNone,    // Nothing: a number that a kernel took and does not use.
  kMapped,  // A constant in the file.
  kArena,
  kPersistent,  // In the persistent arena.
  kDynamic,     // On the heap, sized when the model runs.
  kFolded,      // On the heap, computed once while preparing.
  kGiven,       // The caller's bytes: an input of a callee.
};

struct PreparedTensor {
  Holding holding = Holding::kNone;
  DType dtype = DType::kFloat32;
  graph::Shape shape;
  Bytes bytes = 0;
  // For a tensor that a kernel added:
  graph::OperatorId owner;
  std::string_view label;  // "im2col", "row sums", ...
};

struct PreparedSubgraph {
  // The file's tensors, then those that kernels added, by LiteRT's number.
  std::vector<PreparedTensor> tensors;
  // By operator: the numbers of its temporaries, in the kernel's order.
  std::vector<std::vector<int32_t>> temporaries;
  // As LiteRT uses them: a callee's unused inputs are left out, and so are
  // outputs of WHILE that only hand an input through to nobody.
  std::vector<graph::TensorId> inputs;
  std::vector<std::vector<graph::TensorId>> outputs;  // By operator.

  // Operators are prepared in rounds; a round ends behind an operator whose
  // output only a run can size. Each entry is the end of one round, in
  // ascending order; the first round is what AllocateTensors does.
  std::vector<size_t> rounds;
  bool dynamic = false;  // Some output of an operator, or an input, is.
};

// The model's subgraphs as LiteRT prepares them. Callees are prepared when
// the first operator that calls them is.
struct Prepared {
  std::map<graph::SubgraphId, PreparedSubgraph> subgraphs;
  std::vector<std::string> notes;  // What is not known, in sentences.
};

// Shapes must be known as far as LiteRT knows them before a run; what is not is
// named in the notes. O(model).
Prepared PrepareLiteRt(const graph::Model& model, graph::SubgraphId entry);

}  // namespace stowplan::engines
