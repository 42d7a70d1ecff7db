// SPDX-License-Identifier: Apache-2.0
//
// The shapes of all tensors, from the shapes of the inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/graph/ref.h"

namespace stowplan::graph {

// The shape that an input shall have, by the tensor's name or the name that a
// signature gives it; or that of one tensor alone, whose name others may have.
struct ShapeOverride {
  std::string name;
  Shape shape;
  std::optional<TensorRef> tensor = std::nullopt;  // Goes before the name.
};
using ShapeOverrides = std::vector<ShapeOverride>;

// A tensor whose size stays open until a run.
struct UnknownShape {
  TensorRef tensor;
  // The operator that makes it so, which may stand far before the tensor and
  // in another subgraph. `op` is invalid if none does: an input that is left
  // open.
  OperatorRef because;
  std::string reason;  // In words, as in "decides ... from the data".
};

// What a tensor had before inference gave it something else.
struct FormerShape {
  TensorRef tensor;
  std::optional<Shape> shape;
  std::optional<Bytes> bytes;
};

struct InferenceReport {
  std::vector<UnknownShape> unknown;  // In ascending order of tensors.
  int64_t changed = 0;                // Tensors that have a new shape.
  std::vector<FormerShape> former;    // Of all that were touched.
};

// Gives the tensors of `model` the shapes that follow from its inputs, in the
// order of execution, through the subgraphs that operators call.
//
// What the file states is believed where it is complete: all dimensions
// known, none open in the signature, and nothing before it given another
// shape. All other shapes are computed, also the content of small integer
// tensors that shapes are computed from. The stored dimensions of an entry's
// inputs count as given, although files store 1 for one that is open.
// - A size that the data decides (WHERE, UNIQUE, NON_MAX_SUPPRESSION without
//   a constant limit, ...) stays open whatever the file states, as in engines.
// - A loop whose body changes a shape leaves that shape open; branches that
//   differ leave open what differs.
// - A subgraph called with different shapes has those dimensions open.
// - Custom operators keep the stored shape unless an input has another.
//
// Where a name means an input of the first subgraph, that one is overridden,
// else the inputs of that name of all entry points.
// Errors: kUsage for an override that names no input (lists them), of another
// rank, or with a negative dimension; kBadInput for an operator that cannot
// work on such inputs or whose sizes do not fit in 64 bits, naming operator
// and tensor. On errors the model is unchanged.
// REQUIRES: CheckModel(*model). O(size of the model).
Result<InferenceReport> InferShapes(Model* model,
                                    const ShapeOverrides& overrides);

// Takes back what InferShapes did, so that a model can serve other shapes
// without a copy. REQUIRES: `report` is of the last InferShapes on `model`.
void RestoreShapes(const InferenceReport& report, Model* model);

}  // namespace stowplan::graph
