// SPDX-License-Identifier: Apache-2.0
//
// The public model files beside the repository, as graphs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/infer_shapes.h"
#include "stowplan/graph/model.h"
#include "stowplan/model/import.h"
#include "stowplan/tflite/model_view.h"
#include "tests/shared.h"

namespace stowplan {

// Every model file below `shared/models`, by its name without ".tflite".
inline std::map<std::string, std::filesystem::path> SharedModels() {
  namespace fs = std::filesystem;
  std::map<std::string, fs::path> files;
  const fs::path folder = SharedFolder() / "models";
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".tflite") continue;
    files.emplace(entry.path().stem().string(), entry.path());
  }
  return files;
}

// With its shapes inferred.
inline Result<graph::Model> ModelOfBytes(std::vector<std::byte> bytes) {
  auto storage = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  STOWPLAN_TRY(view, tflite::ModelView::Open(*storage));
  STOWPLAN_TRY(model, model::Import(view, storage));
  STOWPLAN_TRY(report, graph::InferShapes(&model, {}));
  return model;
}

inline Result<graph::Model> ModelOfFile(const std::filesystem::path& path) {
  const std::string text = ReadWholeFile(path);
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return ModelOfBytes({begin, begin + text.size()});
}

}  // namespace stowplan
