// SPDX-License-Identifier: Apache-2.0
//
// A model file in memory with its graph, for tests that run models.
#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "stowplan/model/import.h"
#include "stowplan/runtime/file_facts.h"
#include "stowplan/solve/solve.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::tests {

struct ModelFile {
  std::vector<uint64_t> bytes;  // Aligned as a mapped file is.
  graph::Model graph;
  std::shared_ptr<const runtime::FileFacts> facts;

  static Result<std::unique_ptr<ModelFile>> Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file.good() && content.empty()) {
      return BadInput(path, "it cannot be read");
    }
    return Parse(content);
  }

  static Result<std::unique_ptr<ModelFile>> Parse(const std::string& content) {
    auto model = std::make_unique<ModelFile>();
    model->bytes.resize((content.size() + 7) / 8);
    content.copy(reinterpret_cast<char*>(model->bytes.data()), content.size());
    const std::span<const std::byte> view(
        reinterpret_cast<const std::byte*>(model->bytes.data()),
        content.size());
    STOWPLAN_TRY(checked, tflite::ModelView::Open(view));
    STOWPLAN_TRY(graph, model::Import(checked));
    model->graph = std::move(graph);
    model->facts = std::make_shared<runtime::FileFacts>(checked);
    return model;
  }
};

inline Result<plan::Plan> PlanWithSolver(const plan::Problem& problem) {
  solve::Options options;
  options.effort = 20000;
  STOWPLAN_TRY(outcome, solve::Solve(problem, options));
  return outcome.plan;
}

}  // namespace stowplan::tests
