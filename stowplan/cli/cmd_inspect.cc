// SPDX-License-Identifier: Apache-2.0
//
// stowplan inspect: the facts of a file.
#include <memory>

#include "stowplan/cli/command.h"
#include "stowplan/cli/model_options.h"
#include "stowplan/report/inspection.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::cli {
namespace {

struct InspectOptions {
  ModelOptions model;
  OutputOptions output;
  bool json = false;
  std::string color;
  bool quiet = false;
};

ExitCode RunInspect(const InspectOptions& options) {
  const std::string& path = options.model.path;
  const Result<LoadedModel> loaded = LoadModel(options.model);
  if (!loaded) return Fail(loaded.error(), path);
  const Result<schedule::MemoryNeeds> needs = schedule::FindMemoryNeeds(
      loaded->model, loaded->rules, loaded->inference.unknown);
  if (!needs) return Fail(needs.error(), path);
  const report::Inspection inspection =
      report::Inspect(loaded->model, *needs, path,
                      static_cast<Bytes>(loaded->file.bytes.size()));
  return Emit(
      options.output,
      options.json ? report::ToJson(inspection) : report::ToText(inspection),
      {path});
}

}  // namespace

void AddInspect(CLI::App& app, Run* run) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "What is in a model file, and what is dynamic and why");
  command->footer(
      "Example:\n  stowplan inspect model.tflite\n"
      "  stowplan inspect model.tflite --shape input:1,320,320,3 --json");
  AddModelOptions(*command, &options->model);
  AddOutputOptions(*command, &options->output);
  command->add_flag("--json", options->json,
                    "As JSON, schema stowplan.inspect/1");
  command
      ->add_option("--color", options->color, "Accepted; nothing is coloured")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command->add_flag("--quiet", options->quiet,
                    "Accepted; there is no progress");
  command->callback(
      [options, run] { *run = [options] { return RunInspect(*options); }; });
}

}  // namespace stowplan::cli
