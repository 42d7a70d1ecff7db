// SPDX-License-Identifier: Apache-2.0
//
// From the command line to the document: the main job, for report and plan.
#pragma once

#include "CLI/CLI.hpp"
#include "stowplan/base/error.h"
#include "stowplan/cli/model_options.h"
#include "stowplan/cli/solver_options.h"
#include "stowplan/report/document.h"

namespace stowplan::cli {

struct PlanOptions {
  ModelOptions model;
  SolverOptions solver;
  std::string color = "auto";
  bool quiet = false;
};

void AddPlanOptions(CLI::App& command, PlanOptions* options);

// Whether to use colours on stdout.
bool UseColor(const PlanOptions& options);

// Reads, plans, judges and describes. `prices`: also what each rule costs.
Result<report::Document> PlanModel(const PlanOptions& options, bool prices);

}  // namespace stowplan::cli
