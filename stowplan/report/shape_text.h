// SPDX-License-Identifier: Apache-2.0
//
// Shapes for people.
#pragma once

#include <optional>
#include <string>

#include "stowplan/graph/model.h"

namespace stowplan::report {

// "1x640x640x3"; "?" for a dimension, or all, that are not known; "scalar"
// for none.
inline std::string ShapeText(const std::optional<graph::Shape>& shape) {
  if (!shape) return "?";
  if (shape->empty()) return "scalar";
  std::string text;
  for (int64_t dim : *shape) {
    if (!text.empty()) text += 'x';
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text;
}

}  // namespace stowplan::report
