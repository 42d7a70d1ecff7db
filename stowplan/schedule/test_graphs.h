// SPDX-License-Identifier: Apache-2.0
//
// Helpers for the tests of this folder: graphs as JSON, tensors by name.
#pragma once

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::schedule {

inline graph::Model FromJson(std::string_view text) {
  Result<graph::Model> model = graph::ReadGraphJson(text);
  EXPECT_TRUE(model.has_value()) << model.error().ToString();
  return model ? *std::move(model) : graph::Model();
}

inline MemoryNeeds NeedsOf(const graph::Model& model, const Rules& rules = {}) {
  Result<MemoryNeeds> needs = FindMemoryNeeds(model, rules);
  EXPECT_TRUE(needs.has_value()) << needs.error().ToString();
  return needs ? *std::move(needs) : MemoryNeeds();
}

// The tensor of that name, searched for in all subgraphs.
inline graph::TensorRef Find(const graph::Model& model, std::string_view name) {
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    for (size_t t = 0; t < model.subgraphs[s].tensors.size(); ++t) {
      if (model.subgraphs[s].tensors[t].name == name) {
        return {graph::SubgraphId::FromIndex(s), graph::TensorId::FromIndex(t)};
      }
    }
  }
  ADD_FAILURE() << "no tensor " << name;
  return {};
}

inline plan::BufferId BufferOf(const graph::Model& model,
                               const MemoryNeeds& needs,
                               std::string_view name) {
  const graph::TensorRef ref = Find(model, name);
  return needs.buffer_of[ref.subgraph.index()][ref.tensor.index()];
}

inline plan::LiveRange LiveOf(const graph::Model& model,
                              const MemoryNeeds& needs, std::string_view name) {
  const graph::TensorRef ref = Find(model, name);
  return needs.uses[ref.subgraph.index()][ref.tensor.index()].live;
}

inline TensorKind KindOf(const graph::Model& model, const MemoryNeeds& needs,
                         std::string_view name) {
  return needs.kinds.at(Find(model, name));
}

}  // namespace stowplan::schedule
