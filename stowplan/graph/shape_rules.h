// SPDX-License-Identifier: Apache-2.0
//
// How each operator's output shapes follow from its inputs: one row an
// operator in shape_rules.cc, the only place to add one.
#pragma once

#include <string_view>

#include "stowplan/graph/op_kind.h"
#include "stowplan/graph/shape_context.h"

namespace stowplan::graph {

using Rule = void (*)(ShapeContext&);

struct ShapeRule {
  OpKind kind;
  // Null: only the file can know the output's shape.
  Rule shape = nullptr;
  // The content of small integer outputs, run after `shape`; null: none.
  Rule value = nullptr;
  // The data decides the size: a shape that the file states is not believed,
  // as no engine does.
  bool data_decides = false;
};

// The row; null if there is none, as for most custom operators, which are
// known by their name.
const ShapeRule* ShapeRuleOf(const Operator& op);

}  // namespace stowplan::graph
