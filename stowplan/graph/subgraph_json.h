// SPDX-License-Identifier: Apache-2.0
//
// One subgraph of the JSON form, for the reader of whole models.
#pragma once

#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "stowplan/graph/json_node.h"
#include "stowplan/graph/model.h"

namespace stowplan::graph {

// The bytes of constants that a document spells out.
using JsonConstants = std::deque<std::vector<std::byte>>;

// An id that may be out of range but not outside its type; CheckModel looks
// at the range, as it does for models from files.
template <class IdType>
Result<IdType> ReadId(const JsonNode& node) {
  STOWPLAN_TRY(value, node.Int());
  if (value < -1 || value > std::numeric_limits<int32_t>::max()) {
    return node.Bad(std::to_string(value) + " is no id", "ids count from 0");
  }
  return value < 0 ? IdType() : IdType(static_cast<int32_t>(value));
}

template <class IdType>
Result<std::vector<IdType>> ReadIds(const JsonNode& node) {
  STOWPLAN_RETURN_IF_ERROR(node.ExpectArray());
  std::vector<IdType> ids;
  ids.reserve(node.size());
  for (size_t i = 0; i < node.size(); ++i) {
    STOWPLAN_TRY(id, ReadId<IdType>(node.At(i)));
    ids.push_back(id);
  }
  return ids;
}

// The subgraph that `node` describes; the content of its constants is added
// to `constants`, which must outlive it. Ids are not checked against the
// number of tensors: FindFault does that for all models.
// Errors (kBadInput) name the JSON path. O(text of the node).
Result<Subgraph> ReadSubgraphJson(const JsonNode& node,
                                  JsonConstants* constants);

}  // namespace stowplan::graph
