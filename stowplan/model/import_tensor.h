// SPDX-License-Identifier: Apache-2.0
//
// One tensor of a file as one of the graph. Internal to this folder.
#pragma once

#include "stowplan/graph/model.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::model {

// Where a tensor stands in its subgraph.
struct TensorRole {
  bool written = false;      // By an operator.
  bool input = false;        // Of its subgraph.
  bool entry_input = false;  // Of a subgraph that the application may run.
};

graph::Tensor ImportTensor(const tflite::ModelView& view,
                           const tflite::schema::Tensor& tensor,
                           const TensorRole& role);

}  // namespace stowplan::model
