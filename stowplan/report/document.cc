// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/document.h"

#include <array>

namespace stowplan::report {

std::string_view NameOf(Advice::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "planner",
                                                      "order", "model"};
  return kNames[static_cast<size_t>(kind)];
}

std::string Describe(const OperatorLabel& op) {
  if (!op.index) return "subgraph " + std::to_string(op.subgraph);
  std::string text = op.type;
  if (!op.name.empty() && op.name != op.type) text += " " + op.name;
  text += " (operator " + std::to_string(*op.index);
  if (op.subgraph > 0) text += " of subgraph " + std::to_string(op.subgraph);
  return text + ")";
}

std::string DisplayName(const TensorRow& row) {
  if (!row.name.empty() || !row.tensor) return row.name;
  return "tensor " + std::to_string(*row.tensor);
}

}  // namespace stowplan::report
