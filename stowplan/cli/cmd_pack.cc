// SPDX-License-Identifier: Apache-2.0
//
// stowplan pack: a bare packing problem.
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "stowplan/cli/command.h"
#include "stowplan/cli/file.h"
#include "stowplan/cli/solver_options.h"
#include "stowplan/cli/units.h"
#include "stowplan/plan/problem_csv.h"
#include "stowplan/solve/certificate.h"
#include "stowplan/solve/solve.h"

namespace stowplan::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct PackOptions {
  std::string path;
  std::string capacity;
  std::string certificate;
  std::string format = "text";
  bool json = false;
  bool quiet = false;
  SolverOptions solver;
  OutputOptions output;
};

std::string Text(const plan::NamedProblem& named, const solve::Outcome& outcome,
                 double seconds) {
  std::string text =
      fmt::format("{} buffers\npeak         {} bytes\nlower bound  {} bytes\n",
                  named.problem.size(), outcome.peak, outcome.lower_bound);
  switch (outcome.verdict) {
    case solve::Verdict::kOptimal:
      text += "verdict      proved optimal\n";
      break;
    case solve::Verdict::kFeasible:
      text += fmt::format("verdict      feasible, {} bytes over the bound\n",
                          outcome.peak - outcome.lower_bound);
      break;
    case solve::Verdict::kInfeasible:
      text += fmt::format("verdict      proved not to fit {} bytes\n",
                          named.problem.capacity().value_or(0));
      break;
    case solve::Verdict::kUnknown:
      text += fmt::format("verdict      no plan within {} bytes found\n",
                          named.problem.capacity().value_or(0));
      break;
  }
  text += fmt::format("solver       {}, {} nodes, {:.3f} s\n", outcome.solver,
                      outcome.work.nodes, seconds);
  return text;
}

std::string Json(const plan::NamedProblem& named, const solve::Outcome& outcome,
                 double seconds) {
  const nlohmann::ordered_json document = {
      {"schema", "stowplan.pack/1"},
      {"buffers", named.problem.size()},
      {"peak", outcome.peak},
      {"lower_bound", outcome.lower_bound},
      {"verdict", solve::ToString(outcome.verdict)},
      {"proof", solve::ToString(outcome.proof)},
      {"solver", outcome.solver},
      {"seconds", seconds},
      {"work",
       {{"nodes", outcome.work.nodes},
        {"placements", outcome.work.placements}}},
      {"offsets", outcome.plan.offsets}};
  return document.dump() + "\n";
}

ExitCode RunPack(const PackOptions& options) {
  std::optional<Bytes> capacity;
  if (!options.capacity.empty()) {
    const Result<Bytes> size = ParseSize(options.capacity);
    if (!size) return Fail(size.error());
    capacity = *size;
  }
  const Result<solve::Options> solve_options =
      ToSolveOptions(options.solver, !options.quiet);
  if (!solve_options) return Fail(solve_options.error());
  const Result<InputFile> file = ReadInput(options.path);
  if (!file) return Fail(file.error());
  const Result<plan::NamedProblem> named =
      plan::ReadProblemCsv(file->text(), capacity);
  if (!named) return Fail(named.error(), options.path);

  const Clock::time_point start = Clock::now();
  const Result<solve::Outcome> outcome =
      solve::Solve(named->problem, *solve_options);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  ClearProgress(*solve_options);
  if (!outcome) return Fail(outcome.error(), options.path);

  if (!options.certificate.empty()) {
    const OutputOptions to = {options.certificate, options.output.force};
    const ExitCode code = Emit(
        to, solve::ToJson(solve::MakeCertificate(named->problem, *outcome)),
        {options.path});
    if (code != kDone) return code;
  }
  const bool fits = outcome->verdict == solve::Verdict::kOptimal ||
                    outcome->verdict == solve::Verdict::kFeasible;
  std::string content;
  if (options.json || options.format == "json") {
    content = Json(*named, *outcome, seconds.count());
  } else if (options.format == "csv") {
    content = fits ? plan::WriteProblemCsv(*named, &outcome->plan) : "";
  } else {
    content = Text(*named, *outcome, seconds.count());
  }
  const ExitCode code = Emit(options.output, content, {options.path});
  if (code != kDone) return code;
  return fits ? kDone : kNo;
}

}  // namespace

void AddPack(CLI::App& app, Run* run) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* command =
      app.add_subcommand("pack", "Solve a bare packing problem");
  command->footer(
      "PROBLEM.csv is MiniMalloc's format: "
      "id,lower,upper,size[,alignment][,offset][,gaps]\n\n"
      "Example:\n  stowplan pack problem.csv --capacity 1MiB --format csv -o "
      "solved.csv");
  command->add_option("problem", options->path, "CSV file; - reads stdin")
      ->required()
      ->type_name("PROBLEM.csv");
  AddSolverOptions(*command, &options->solver);
  command->add_option("--capacity", options->capacity,
                      "What the arena holds, such as 256K or 2MiB");
  command->add_option("--certificate", options->certificate,
                      "Write what shows the bound to this file");
  command->add_option("--format", options->format, "text, json or csv")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json", "csv"}));
  command->add_flag("--json", options->json, "The same as --format json");
  command->add_flag("--quiet", options->quiet, "No progress line");
  AddOutputOptions(*command, &options->output);
  command->callback(
      [options, run] { *run = [options] { return RunPack(*options); }; });
}

}  // namespace stowplan::cli
