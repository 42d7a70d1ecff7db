// SPDX-License-Identifier: Apache-2.0
//
// From the command line to the document: the main job, for report and plan.
#pragma once

#include "CLI/CLI.hpp"
#include "stowplan/base/error.h"
#include "stowplan/cli/engine_options.h"
#include "stowplan/cli/model_options.h"
#include "stowplan/cli/solver_options.h"
#include "stowplan/report/document.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::cli {

struct PlanOptions {
  ModelOptions model;
  SolverOptions solver;
  EngineOptions engine;
  std::string color = "auto";
  bool quiet = false;
};

void AddPlanOptions(CLI::App& command, PlanOptions* options);

// Whether to use colours on stdout.
bool UseColor(const PlanOptions& options);

// Our plan of a loaded model, packed.
struct OwnPlan {
  schedule::MemoryNeeds needs;
  solve::Outcome outcome;
};
Result<OwnPlan> PackModel(const LoadedModel& loaded,
                          const solve::Options& options);

// Our plan as that of an engine, judged. REQUIRES: it has offsets.
JudgedPlan JudgeOwnPlan(const LoadedModel& loaded, const OwnPlan& plan);

// Reads, plans, judges and describes the first engine that was named, or
// ours. `report`: also what each of our rules costs, and all named engines
// beside ours. Errors of an engine that is not the first are part of the
// document.
Result<report::Document> PlanModel(const PlanOptions& options, bool report);

}  // namespace stowplan::cli
