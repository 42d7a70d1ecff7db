// SPDX-License-Identifier: Apache-2.0
//
// stowplan run: executes a model from its plan, and measures it.
#include <memory>
#include <string>

#include "fmt/format.h"
#include "stowplan/cli/command.h"
#include "stowplan/cli/run_document.h"
#include "stowplan/cli/run_model.h"

namespace stowplan::cli {
namespace {

struct RunCommandOptions {
  RunOptions run;
  bool json = false;
};

ExitCode No(const std::string& subject, const std::string& what) {
  PrintError(fmt::format("error: {}: {}", subject, what));
  return kNo;
}

ExitCode Judge(const RunOptions& options, const RunResult& result) {
  const std::string& path = options.model.path;
  if (result.finding) return No(path, result.finding->ToString());
  if (!options.assert_no_alloc || result.per_invoke.calls == 0) return kDone;
  std::string who = "the runtime itself";
  if (result.offender) {
    who = fmt::format("operator {} ({}) of subgraph {}",
                      result.offender->op.op.value(), result.offender->type,
                      result.offender->op.subgraph.value());
  }
  return No(path,
            fmt::format("{} asked the heap for memory after the first "
                        "run; {} times, {} bytes in a run",
                        who, result.per_invoke.calls, result.per_invoke.bytes));
}

ExitCode RunRun(const RunCommandOptions& options) {
  const Result<RunResult> result = RunModel(options.run);
  if (!result) return Fail(result.error(), options.run.model.path);
  const std::string content = options.json
                                  ? ToRunJson(*result)
                                  : ToRunText(*result, !options.run.quiet);
  const ExitCode code = Emit({}, content, {});
  if (code != kDone) return code;
  return Judge(options.run, *result);
}

void AddRunOptions(CLI::App& command, RunCommandOptions* options) {
  RunOptions& run = options->run;
  AddModelOptions(command, &run.model);
  command
      .add_option("--input", run.inputs,
                  "[NAME=]FILE.npy for one input, or random:SEED for those "
                  "without a file; repeatable; default random:42")
      ->type_size(1)
      ->allow_extra_args(false);
  command
      .add_option("--runs", run.runs,
                  "How often; 1, or 2 with --assert-no-alloc")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--threads", run.threads, "Only 1 so far")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--arithmetic", run.arithmetic,
                  "How integers are scaled; float: in single precision, as "
                  "LiteRT's default delegate does; litert: in fixed point, as "
                  "its own kernels do")
      ->capture_default_str()
      ->check(CLI::IsMember({"float", "litert"}));
  command.add_flag("--audit", run.audit,
                   "Also compare, operator by operator, with a run in which "
                   "every buffer has memory of its own; exit 1 if bits differ");
  command.add_flag("--assert-no-alloc", run.assert_no_alloc,
                   "Exit 1 if a run after the first asks the heap for memory");
  command
      .add_option("--output-dir", run.output_dir,
                  "Write the outputs to output-0.npy, ... in this folder")
      ->check([](const std::string& folder) {
        return folder.empty() ? "the folder has no name" : "";
      });
  command.add_flag("--force", run.force, "Replace files in the output folder");
  command.add_flag("--json", options->json, "One document, stowplan.run/1");
  command.add_flag("--quiet", run.quiet,
                   "No table of operators and no progress line");
}

}  // namespace

void AddRun(CLI::App& app, Run* run) {
  auto options = std::make_shared<RunCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "Execute a model from its plan, and measure it");
  command->footer(
      "Example:\n  stowplan run model.tflite --input image=cat.npy "
      "--output-dir results\n"
      "  stowplan run model.tflite --runs 20 --audit --assert-no-alloc --json");
  AddRunOptions(*command, options.get());
  command->callback(
      [options, run] { *run = [options] { return RunRun(*options); }; });
}

}  // namespace stowplan::cli
