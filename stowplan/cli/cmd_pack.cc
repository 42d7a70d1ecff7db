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
#include "stowplan/plan/validate.h"
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

// Two pinned buffers that collide, by the names of the file.
std::string PinsText(const plan::NamedProblem& named) {
  std::vector<plan::Buffer> pinned;
  plan::Plan plan;
  std::vector<size_t> from;
  for (size_t i = 0; i < named.problem.size(); ++i) {
    const plan::Buffer& buffer = named.problem.buffers()[i];
    if (!buffer.pinned) continue;
    pinned.push_back(buffer);
    plan.offsets.push_back(*buffer.pinned);
    from.push_back(i);
  }
  const auto problem = plan::Problem::Create(std::move(pinned));
  const auto violation =
      problem ? plan::Validate(*problem, plan) : std::nullopt;
  if (!violation || !violation->second.valid()) return "pinned buffers collide";
  return fmt::format("{} and {} are both pinned to bytes [{}, {}) at step {}",
                     named.names[from[violation->first.index()]],
                     named.names[from[violation->second.index()]],
                     violation->bytes.begin, violation->bytes.end,
                     violation->step);
}

std::string VerdictText(const plan::NamedProblem& named,
                        const solve::Outcome& outcome) {
  switch (outcome.verdict) {
    case solve::Verdict::kOptimal:
      return "proved optimal";
    case solve::Verdict::kFeasible:
      return fmt::format("feasible, {} bytes over the bound",
                         outcome.peak - outcome.lower_bound);
    case solve::Verdict::kInfeasible:
      if (outcome.proof == solve::Proof::kPins) {
        return "no plan: " + PinsText(named);
      }
      return fmt::format("proved not to fit {} bytes",
                         named.problem.capacity().value_or(0));
    case solve::Verdict::kUnknown:
      return fmt::format("no plan within {} bytes found",
                         named.problem.capacity().value_or(0));
  }
  return "";
}

std::string Text(const plan::NamedProblem& named, const solve::Outcome& outcome,
                 double seconds) {
  std::string text = fmt::format("{} buffers\n", named.problem.size());
  const bool has_plan = outcome.plan.offsets.size() == named.problem.size();
  if (has_plan) text += fmt::format("peak         {} bytes\n", outcome.peak);
  text += fmt::format("lower bound  {} bytes\nverdict      {}\n",
                      outcome.lower_bound, VerdictText(named, outcome));
  if (has_plan) {
    text += fmt::format("found by     {}, {} nodes, {:.3f} s\n", outcome.solver,
                        outcome.work.nodes, seconds);
  }
  return text;
}

std::string Json(const plan::NamedProblem& named, const std::string& solver,
                 const solve::Outcome& outcome, double seconds) {
  const nlohmann::ordered_json document = {
      {"schema", "stowplan.pack/1"},
      {"buffers", named.problem.size()},
      {"peak", outcome.peak},
      {"lower_bound", outcome.lower_bound},
      {"verdict", solve::ToString(outcome.verdict)},
      {"proof", solve::ToString(outcome.proof)},
      {"solver", solver},
      {"found_by", outcome.solver},
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
  Result<solve::Options> solve_options =
      ToSolveOptions(options.solver, !options.quiet);
  if (!solve_options) return Fail(solve_options.error());
  const Result<InputFile> file = ReadInput(options.path);
  if (!file) return Fail(file.error());
  const Result<plan::NamedProblem> named =
      plan::ReadProblemCsv(file->text(), capacity);
  if (!named) return Fail(named.error(), options.path);

  const InterruptStopsSolver interrupt;
  solve_options->cancel = interrupt.token();
  const Clock::time_point start = Clock::now();
  const Result<solve::Outcome> outcome =
      solve::Solve(named->problem, *solve_options);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  ClearProgress(*solve_options);
  if (!outcome) return Fail(outcome.error(), options.path);

  if (!options.certificate.empty()) {
    if (options.certificate == options.output.path) {
      return Fail({ErrorKind::kUsage, "--certificate",
                   "is the same file as --output", "name another file"});
    }
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
    content = Json(*named, options.solver.solver, *outcome, seconds.count());
  } else if (options.format == "csv") {
    if (!fits) PrintError(VerdictText(*named, *outcome));
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
  CLI::Option* format =
      command->add_option("--format", options->format, "text, json or csv")
          ->capture_default_str()
          ->check(CLI::IsMember({"text", "json", "csv"}));
  command->add_flag("--json", options->json, "The same as --format json")
      ->excludes(format);
  command->add_flag("--quiet", options->quiet, "No progress line");
  AddOutputOptions(*command, &options->output);
  command->callback(
      [options, run] { *run = [options] { return RunPack(*options); }; });
}

}  // namespace stowplan::cli
