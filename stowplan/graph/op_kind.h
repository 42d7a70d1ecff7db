// SPDX-License-Identifier: Apache-2.0
//
// The kinds of operators and their traits, from the one table op_kind.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stowplan::graph {

enum class OpKind : uint16_t {
#define STOWPLAN_OP(id, name, sharing, inputs, shape_operands) id,
#include "stowplan/graph/op_kind.def"
#undef STOWPLAN_OP
};

// How output 0 may share bytes with an input.
enum class Sharing : uint8_t {
  kNone,
  kView,       // The same bytes, unchanged, under another shape.
  kOverwrite,  // Writes over an input while it reads it.
};

struct OpTraits {
  std::string_view name;
  Sharing sharing;
  uint8_t inputs;          // Positions that may share, one bit each.
  uint8_t shape_operands;  // Positions whose content decides a shape.

  bool MayShare(size_t input) const {
    return input < 8 && (inputs >> input & 1) != 0;
  }
  bool IsShapeOperand(size_t input) const {
    return input < 8 && (shape_operands >> input & 1) != 0;
  }
};

// The row of the table.
const OpTraits& TraitsOf(OpKind kind);

// The kind of that name; nothing for names outside the public format, which
// are planned as kCustom.
std::optional<OpKind> OpKindFromName(std::string_view name);

}  // namespace stowplan::graph
