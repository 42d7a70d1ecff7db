// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/resources.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "stowplan/base/checked_math.h"

namespace stowplan::runtime {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

void Resources::Reset() {
  for (Variable& variable : variables_) {
    std::memset(variable.memory->data(), 0,
                static_cast<size_t>(variable.bytes));
  }
  std::fill(called_.begin(), called_.end(), false);
}

Status Resources::Join(const graph::Model& model, Program& program) {
  const size_t subgraphs = model.subgraphs.size();
  if (!called_.empty() &&
      (storage_ != model.storage || called_.size() != subgraphs)) {
    return UsageError("resources", "they belong to another model",
                      "give each model resources of its own");
  }
  storage_ = model.storage;
  called_.resize(subgraphs);
  const auto& variable_of = program.needs().kinds.variable_of;
  for (size_t s = 0; s < variable_of.size(); ++s) {
    for (size_t t = 0; t < variable_of[s].size(); ++t) {
      const TensorRef first = variable_of[s][t];
      const TensorRef self = {SubgraphId::FromIndex(s), TensorId::FromIndex(t)};
      const Bytes bytes = program.KindOf(self).bytes;
      if (!first.tensor.valid() || bytes == 0) continue;
      const graph::Subgraph& subgraph =
          program.model().subgraph(first.subgraph);
      const auto producer =
          program.needs()
              .uses[first.subgraph.index()][first.tensor.index()]
              .producer;
      STOWPLAN_TRY(data, Find(subgraph.operators[producer.index()], bytes));
      program.Place(self, data);
    }
  }
  return {};
}

Result<std::byte*> Resources::Find(const graph::Operator& handle, Bytes bytes) {
  const std::string container = handle.attributes.String("container", "");
  const std::string name = handle.attributes.String("shared_name", "");
  for (Variable& known : variables_) {
    if (known.container != container || known.name != name) continue;
    if (known.bytes == bytes) return known.memory->data();
    return BadInput("variable '" + name + "'",
                    "it has " + std::to_string(bytes) + " bytes here and " +
                        std::to_string(known.bytes) + " in another interpreter",
                    "give both inputs of the same shapes");
  }
  auto memory = std::make_unique<Arena>("shared variables");
  if (given_.data() != nullptr) {
    // Behind those that are there; each at a multiple of 64.
    const auto taken = static_cast<size_t>(
        std::min(bytes_, static_cast<Bytes>(AlignedPart(given_).size())));
    memory->Use(bytes_ == 0 ? given_ : AlignedPart(given_).subspan(taken));
  }
  STOWPLAN_RETURN_IF_ERROR(memory->Commit(bytes, Shrink::kShrink));
  std::memset(memory->data(), 0, static_cast<size_t>(bytes));
  std::byte* data = memory->data();
  bytes_ += AlignUp(bytes, Arena::kAlignment);
  variables_.push_back({container, name, bytes, std::move(memory)});
  return data;
}

}  // namespace stowplan::runtime
