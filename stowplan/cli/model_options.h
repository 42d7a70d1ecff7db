// SPDX-License-Identifier: Apache-2.0
//
// What every command on a model takes: the file and the rules.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "stowplan/base/error.h"
#include "stowplan/cli/file.h"
#include "stowplan/graph/infer_shapes.h"
#include "stowplan/graph/model.h"
#include "stowplan/schedule/rules.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::cli {

struct ModelOptions {
  std::string path;
  std::vector<std::string> shapes;  // "NAME:1,640,640,3"
  std::string alignment;            // Empty: the graph's own, or 64.
  std::string inputs = "recycle";
  std::string outputs = "keep";
  std::vector<std::string> keep;  // Tensor names or indices.
  std::string in_place = "safe";
  std::string fold_constants = "on";
  std::string signature;
  // The rules of our own plan, as options; engines have theirs.
  std::vector<const CLI::Option*> own_rules;
};

void AddModelOptions(CLI::App& command, ModelOptions* options);

struct LoadedModel {
  InputFile file;
  graph::Model model;   // Shapes inferred; LoadStored leaves it empty.
  graph::Model stored;  // As the file has it.
  // The content of the metadata entry OfflineMemoryAllocation, a plan for
  // TFLM; empty if there is none.
  std::span<const std::byte> offline_plan;
  // The file itself; nothing where the graph came as JSON, without weights.
  std::optional<tflite::ModelView> view;
  graph::ShapeOverrides shapes;  // As the options give them.
  graph::InferenceReport inference;
  schedule::Rules rules;
};

// Reads a .tflite file or a graph as JSON, whichever it is, infers shapes and
// turns the options into rules. Errors: kIo, kBadInput, kUsage.
Result<LoadedModel> LoadModel(const ModelOptions& options);

// The same without the shapes, for those who infer them themselves.
Result<LoadedModel> LoadStored(const ModelOptions& options);

}  // namespace stowplan::cli
