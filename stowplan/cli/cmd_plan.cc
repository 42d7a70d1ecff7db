// SPDX-License-Identifier: Apache-2.0
//
// stowplan plan: where everything lies.
#include <memory>
#include <string>

#include "stowplan/cli/command.h"
#include "stowplan/cli/planned_model.h"
#include "stowplan/report/csv.h"
#include "stowplan/report/json.h"
#include "stowplan/report/lines.h"
#include "stowplan/report/svg.h"
#include "stowplan/report/text.h"

namespace stowplan::cli {
namespace {

struct PlanCommandOptions {
  PlanOptions plan;
  OutputOptions output;
  std::string format = "text";
  bool json = false;
};

std::string Render(const PlanCommandOptions& options,
                   const report::Document& document) {
  const std::string& format = options.json ? "json" : options.format;
  if (format == "json") return report::ToJson(document);
  if (format == "csv") return report::ToCsv(document);
  if (format == "svg") return report::ToSvg(document);
  if (format == "lines") return report::ToLines(document);
  report::TextOptions text;
  text.color = options.output.path.empty() && UseColor(options.plan);
  text.table = !options.plan.quiet;
  return report::ToText(document, text);
}

ExitCode RunPlan(const PlanCommandOptions& options) {
  if (const Status status =
          CheckOwnRules(options.plan.model, options.plan.engine);
      !status) {
    return Fail(status.error());
  }
  const Result<report::Document> document = PlanModel(options.plan, false);
  if (!document) return Fail(document.error(), options.plan.model.path);
  return Emit(options.output, Render(options, *document),
              {options.plan.model.path});
}

}  // namespace

void AddPlan(CLI::App& app, Run* run) {
  auto options = std::make_shared<PlanCommandOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "Where every tensor lies in the arena");
  command->footer(
      "Example:\n  stowplan plan model.tflite --format svg -o plan.svg\n"
      "  stowplan plan model.tflite --inputs keep --json | jq .arena\n"
      "  stowplan plan model.tflite --engine tflm --json | jq .tflm");
  AddPlanOptions(*command, &options->plan);
  AddEngineOptions(*command, &options->plan.engine, false);
  AddOutputOptions(*command, &options->output);
  CLI::Option* format =
      command
          ->add_option("--format", options->format,
                       "text, json, csv, svg, or lines (ArenaAlloc: ...)")
          ->capture_default_str()
          ->check(CLI::IsMember({"text", "json", "csv", "svg", "lines"}));
  command->add_flag("--json", options->json, "The same as --format json")
      ->excludes(format);
  command->callback(
      [options, run] { *run = [options] { return RunPlan(*options); }; });
}

}  // namespace stowplan::cli
