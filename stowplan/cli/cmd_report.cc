// SPDX-License-Identifier: Apache-2.0
//
// stowplan report: what a person reads first.
#include <memory>
#include <string>

#include "stowplan/cli/command.h"
#include "stowplan/cli/planned_model.h"
#include "stowplan/report/html.h"
#include "stowplan/report/json.h"
#include "stowplan/report/text.h"

namespace stowplan::cli {
namespace {

struct ReportOptions {
  PlanOptions plan;
  OutputOptions output;
  bool json = false;
  bool table = false;
};

ExitCode RunReport(const ReportOptions& options) {
  const Result<report::Document> document = PlanModel(options.plan, true);
  if (!document) return Fail(document.error(), options.plan.model.path);
  if (!options.output.path.empty()) {
    const bool json = options.output.path.ends_with(".json");
    const ExitCode code =
        Emit(options.output,
             json ? report::ToJson(*document) : report::ToHtml(*document),
             {options.plan.model.path});
    if (code != kDone) return code;
  }
  report::TextOptions text;
  text.color = UseColor(options.plan);
  text.table = options.table && !options.plan.quiet;
  return Emit({},
              options.json ? report::ToJson(*document)
                           : report::ToText(*document, text),
              {});
}

}  // namespace

void AddReport(CLI::App& app, Run* run) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Why a model takes the memory it takes");
  command->footer(
      "Example:\n  stowplan report detector.tflite -o detector.html\n"
      "  stowplan report detector.tflite --engine all\n\n"
      "With -o, the page with the picture goes to the file (the document, if "
      "its name ends in .json) and the summary still to stdout.");
  AddPlanOptions(*command, &options->plan);
  AddEngineOptions(*command, &options->plan.engine, true);
  AddOutputOptions(*command, &options->output);
  command->add_flag("--json", options->json,
                    "The document as JSON, schema stowplan.plan/1");
  command->add_flag("--table", options->table,
                    "A line a tensor behind the summary");
  command->callback(
      [options, run] { *run = [options] { return RunReport(*options); }; });
}

}  // namespace stowplan::cli
