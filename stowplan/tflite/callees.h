// SPDX-License-Identifier: Apache-2.0
//
// The subgraphs that an operator runs.
#pragma once

#include <cstdint>
#include <vector>

#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

// Indices of the subgraphs that the options of `op`, an operator of that kind,
// name, in the order of the schema (IF: then, else; WHILE: condition, body),
// as they are in the file. Empty for a kind that runs none and where the
// options are missing or another kind's.
std::vector<int32_t> CalleesOf(schema::BuiltinOperator builtin,
                               const schema::Operator& op);

// How many subgraphs such an operator cannot do without; 0 for others.
size_t CalleesNeededBy(schema::BuiltinOperator builtin);

}  // namespace stowplan::tflite
