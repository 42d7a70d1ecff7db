// SPDX-License-Identifier: Apache-2.0
//
// The checks behind `ModelView::Open`, after the FlatBuffer itself has been
// found sound: every index, size and shape. Internal to this folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "stowplan/base/error.h"
#include "stowplan/tflite/budget.h"
#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

struct CheckContext {
  std::span<const std::byte> file;
  const schema::Model& model;
  Budget budget;
};

// A vector's length; 0 for one that is absent.
template <class Vector>
size_t SizeOf(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}

// The error for a file that runs out of its budget at `where`.
tl::unexpected<Error> TooCostly(std::string where);

// All checks of the model, in the order of the file.
Status CheckModel(CheckContext& context);

// The format's version, the operator codes and the buffers.
Status CheckTables(CheckContext& context);

// One tensor: type, shape, content, quantisation.
Status CheckTensor(CheckContext& context, size_t subgraph, size_t tensor);

// The levels of a sparse tensor against its shape and the `stored` bytes.
// REQUIRES: the tensor's type and shape are sound.
Status CheckSparsity(CheckContext& context, const schema::Tensor& tensor,
                     const std::string& where, Bytes stored);

// The operators of a subgraph: operands, options, who writes what.
Status CheckOperators(CheckContext& context, size_t subgraph);

// That subgraphs do not call themselves, and not beyond measure.
Status CheckCalls(CheckContext& context);

// Signatures and metadata.
Status CheckEntryPoints(CheckContext& context);

}  // namespace stowplan::tflite
