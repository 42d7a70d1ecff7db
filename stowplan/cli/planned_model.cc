// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/planned_model.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "stowplan/report/build.h"
#include "stowplan/schedule/memory_needs.h"
#include "stowplan/solve/solve.h"

namespace stowplan::cli {

void AddPlanOptions(CLI::App& command, PlanOptions* options) {
  AddModelOptions(command, &options->model);
  AddSolverOptions(command, &options->solver);
  command.add_option("--color", options->color, "Colours on stdout")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command.add_flag("--quiet", options->quiet,
                   "Only the summary, and no progress line");
}

bool UseColor(const PlanOptions& options) {
  if (options.color != "auto") return options.color == "always";
  // https://no-color.org
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return isatty(STDOUT_FILENO) != 0;
}

Result<report::Document> PlanModel(const PlanOptions& options, bool prices) {
  STOWPLAN_TRY(solve_options, ToSolveOptions(options.solver, !options.quiet));
  STOWPLAN_TRY(loaded, LoadModel(options.model));
  STOWPLAN_TRY(needs, schedule::FindMemoryNeeds(loaded.model, loaded.rules,
                                                loaded.inference.unknown));
  const Result<solve::Outcome> outcome =
      solve::Solve(needs.problem, solve_options);
  ClearProgress(solve_options);
  if (!outcome) return tl::unexpected(outcome.error());
  report::SourceInfo source;
  source.path = options.model.path;
  source.bytes = static_cast<Bytes>(loaded.file.bytes.size());
  report::BuildOptions build;
  build.solver = options.solver.solver;
  build.prices = prices;
  return report::Build(loaded.model, needs, *outcome, source, build);
}

}  // namespace stowplan::cli
