// SPDX-License-Identifier: Apache-2.0
//
// Model graphs as JSON, so that a graph can be described, kept and compared
// without a model file. docs/graph-json.md describes the format.
#pragma once

#include <string>
#include <string_view>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"

namespace stowplan::graph {

// The graph in `text`: one graph, several subgraphs, or a document that has
// either under the key "graph". Names of operators outside the public format
// become OpKind::kCustom. The model owns all its memory.
// Errors (kBadInput) name the JSON path, as in "tensors[3].shape[1]", and the
// remedy. What is returned has passed CheckModel. O(text).
Result<Model> ReadGraphJson(std::string_view text);

// One line a tensor and an operator, ending in a line end. Everything that
// planning and shape inference use comes back from ReadGraphJson, and writing
// that again gives the same text; the content of constants is kept only for
// integers of up to kMaxValueElements elements, and `source` is left out.
// Bytes of names that are not UTF-8 become U+FFFD.
// REQUIRES: CheckModel(model).
std::string WriteGraphJson(const Model& model);

}  // namespace stowplan::graph
