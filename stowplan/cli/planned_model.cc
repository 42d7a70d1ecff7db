// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/planned_model.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "stowplan/engines/stowplan.h"
#include "stowplan/report/build.h"
#include "stowplan/report/names.h"
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

Result<OwnPlan> PackModel(const LoadedModel& loaded,
                          const solve::Options& options) {
  STOWPLAN_TRY(needs, schedule::FindMemoryNeeds(loaded.model, loaded.rules,
                                                loaded.inference.unknown));
  Result<solve::Outcome> outcome = solve::Solve(needs.problem, options);
  ClearProgress(options);
  if (!outcome) return tl::unexpected(outcome.error());
  return OwnPlan{std::move(needs), *std::move(outcome)};
}

JudgedPlan JudgeOwnPlan(const LoadedModel& loaded, const OwnPlan& plan) {
  JudgedPlan judged;
  judged.model = loaded.model;
  judged.needs = plan.needs;
  judged.layout =
      engines::PlanStowplan(loaded.model, plan.needs, plan.outcome.plan);
  engines::ReplayOptions options;
  options.keep_outputs = loaded.rules.outputs == schedule::Io::kKeep;
  judged.replay = engines::ReplayPlan(loaded.model, judged.layout, options);
  return judged;
}

namespace {

// Of each engine its row, and of the first that was named the document.
class Planner {
 public:
  Planner(const PlanOptions& options, const LoadedModel& loaded,
          const solve::Options& solve_options)
      : options_(options), loaded_(loaded), solve_options_(solve_options) {
    source_.path = options.model.path;
    source_.bytes = static_cast<Bytes>(loaded.file.bytes.size());
  }

  Result<report::Document> Run(bool report) {
    std::vector<std::string> engines = NamedEngines(options_.engine);
    const std::string first = engines.empty() ? "stowplan" : engines[0];
    const bool alone =
        engines.empty() || (engines.size() == 1 && engines[0] == "stowplan");
    // Ours is what others are compared with.
    if (report && !alone) {
      engines.erase(std::remove(engines.begin(), engines.end(), "stowplan"),
                    engines.end());
      engines.insert(engines.begin(), "stowplan");
    }
    for (const std::string& engine : engines) {
      STOWPLAN_RETURN_IF_ERROR(engine == "stowplan"
                                   ? AddOwn(first == engine, !alone, report)
                                   : AddForeign(engine, first == engine));
    }
    if (engines.empty()) {
      STOWPLAN_RETURN_IF_ERROR(AddOwn(true, false, report));
    }
    report::CompareEngines(&rows_);
    document_.engines = std::move(rows_);
    return std::move(document_);
  }

 private:
  Status AddOwn(bool is_first, bool row, bool prices) {
    STOWPLAN_TRY(plan, PackModel(loaded_, solve_options_));
    if (row) {
      STOWPLAN_TRY(made,
                   report::MakeEngineRow(JudgeOwnPlan(loaded_, plan).View()));
      rows_.push_back(std::move(made));
    }
    if (!is_first) return {};
    report::BuildOptions build;
    build.solver = options_.solver.solver;
    build.prices = prices;
    STOWPLAN_TRY(document, report::Build(loaded_.model, plan.needs,
                                         plan.outcome, source_, build));
    document_ = std::move(document);
    return {};
  }

  Status AddForeign(const std::string& engine, bool is_first) {
    const Result<JudgedPlan> plan =
        PlanForeignEngine(engine, options_.model, options_.engine, loaded_);
    if (!plan && is_first) return tl::unexpected(plan.error());
    if (!plan) {
      report::EngineRow row;
      row.engine = engine;
      row.error = report::ToUtf8(plan.error().ToString());
      rows_.push_back(std::move(row));
      return {};
    }
    STOWPLAN_TRY(row, report::MakeEngineRow(plan->View()));
    rows_.push_back(std::move(row));
    if (!is_first) return {};
    STOWPLAN_TRY(document, report::DescribeEngine(plan->View(), source_));
    document_ = std::move(document);
    return {};
  }

  const PlanOptions& options_;
  const LoadedModel& loaded_;
  const solve::Options& solve_options_;
  report::SourceInfo source_;
  report::Document document_;
  std::vector<report::EngineRow> rows_;
};

}  // namespace

Result<report::Document> PlanModel(const PlanOptions& options, bool report) {
  STOWPLAN_TRY(solve_options, ToSolveOptions(options.solver, !options.quiet));
  STOWPLAN_TRY(loaded, LoadModel(options.model));
  const InterruptStopsSolver interrupt;
  solve_options.cancel = interrupt.token();
  return Planner(options, loaded, solve_options).Run(report);
}

}  // namespace stowplan::cli
