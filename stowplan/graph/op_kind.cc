// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/op_kind.h"

#include <algorithm>
#include <array>

namespace stowplan::graph {
namespace {

using enum Sharing;

constexpr auto kTable = std::to_array<OpTraits>({
#define STOWPLAN_OP(id, name, sharing, inputs, shape_operands) \
  OpTraits{name, sharing, inputs, shape_operands},
#include "stowplan/graph/op_kind.def"
#undef STOWPLAN_OP
});

using KindByName = std::array<OpKind, kTable.size()>;

const KindByName& SortedByName() {
  static const KindByName kSorted = [] {
    KindByName kinds;
    for (size_t i = 0; i < kinds.size(); ++i) {
      kinds[i] = static_cast<OpKind>(i);
    }
    std::sort(kinds.begin(), kinds.end(), [](OpKind a, OpKind b) {
      return TraitsOf(a).name < TraitsOf(b).name;
    });
    return kinds;
  }();
  return kSorted;
}

}  // namespace

const OpTraits& TraitsOf(OpKind kind) {
  return kTable[static_cast<size_t>(kind)];
}

std::optional<OpKind> OpKindFromName(std::string_view name) {
  const KindByName& kinds = SortedByName();
  const auto found = std::lower_bound(
      kinds.begin(), kinds.end(), name,
      [](OpKind kind, std::string_view n) { return TraitsOf(kind).name < n; });
  if (found == kinds.end() || TraitsOf(*found).name != name) {
    return std::nullopt;
  }
  return *found;
}

}  // namespace stowplan::graph
