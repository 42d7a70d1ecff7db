// SPDX-License-Identifier: Apache-2.0
//
// From a model file to the graph.
#pragma once

#include <memory>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::model {

// The graph of a file, with all of its subgraphs and signatures.
//
// - Constants are views into the file; `storage` keeps it alive as long as
//   the graph, and may be null if the caller does.
// - An operator's options are its attributes, under the schema's names and
//   with the schema's defaults.
// - A tensor without stored shape has none in the graph (not even a rank)
//   unless the file says that it has a rank, it holds a value, or it is an
//   input of an entry point, where engines take it for a scalar too.
// - A constant of no bytes is known by having no elements and no writer.
//
// Errors are broken promises of the graph (graph::CheckModel): after
// `ModelView::Open` only an operator that stands before the writer of what it
// reads. O(file) time; memory O(tensors and operators).
Result<graph::Model> Import(const tflite::ModelView& view,
                            std::shared_ptr<const void> storage = nullptr);

}  // namespace stowplan::model
