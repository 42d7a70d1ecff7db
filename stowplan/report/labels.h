// SPDX-License-Identifier: Apache-2.0
//
// What to call operators and tensors of a model in a document.
#pragma once

#include <string>
#include <vector>

#include "stowplan/graph/ref.h"
#include "stowplan/report/document.h"
#include "stowplan/schedule/kinds.h"

namespace stowplan::report {

// `ref.op` may be invalid.
OperatorLabel LabelOf(const graph::Model& model, graph::OperatorRef ref);

// Its name as valid UTF-8; may be empty.
std::string NameOfTensor(const graph::Model& model, graph::TensorRef ref);

// The dynamic tensors with the operator to blame and the reason in words.
std::vector<DynamicRow> DynamicRows(const graph::Model& model,
                                    const schedule::Kinds& kinds);

}  // namespace stowplan::report
