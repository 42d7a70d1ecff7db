// SPDX-License-Identifier: Apache-2.0
//
// Which engine's plan is asked for, and how it is made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/CLI.hpp"
#include "stowplan/base/error.h"
#include "stowplan/cli/model_options.h"
#include "stowplan/engines/engine.h"
#include "stowplan/engines/replay.h"
#include "stowplan/engines/tflm.h"
#include "stowplan/report/engine_document.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::cli {

struct EngineOptions {
  std::vector<std::string> engines;  // Empty: none was named.
  int pointer_bytes = 4;
  std::string tflm_build = "plain";
};

// `several`: takes a list, and "all".
void AddEngineOptions(CLI::App& command, EngineOptions* options, bool several);

// The engines that were named, each once, in their order, "all" spelled out.
std::vector<std::string> NamedEngines(const EngineOptions& options);

// Errors: kUsage if one engine other than ours is asked for together with a
// rule of our own plan.
Status CheckOwnRules(const ModelOptions& model_options,
                     const EngineOptions& options);

// One engine's plan, judged.
struct JudgedPlan {
  graph::Model model;  // As the engine took it.
  schedule::MemoryNeeds needs;
  engines::Layout layout;
  engines::Replay replay;
  bool is_tflm = false;
  engines::TflmPlan tflm;
  engines::TflmOptions tflm_options;

  // Refers to this object.
  report::EnginePlan View() const;
};

// LiteRT's or TFLM's plan. Errors: kUsage for options that the engine does
// not have; those of its planner.
Result<JudgedPlan> PlanForeignEngine(std::string_view engine,
                                     const ModelOptions& model_options,
                                     const EngineOptions& options,
                                     const LoadedModel& loaded);

}  // namespace stowplan::cli
