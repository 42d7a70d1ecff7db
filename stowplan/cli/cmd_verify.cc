// SPDX-License-Identifier: Apache-2.0
//
// stowplan verify: judge a plan, ours or anybody's.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "stowplan/cli/command.h"
#include "stowplan/cli/foreign_file.h"
#include "stowplan/cli/planned_model.h"
#include "stowplan/engines/lint.h"
#include "stowplan/engines/verify_json.h"
#include "stowplan/report/names.h"
#include "stowplan/report/units.h"

namespace stowplan::cli {
namespace {

struct VerifyOptions {
  ModelOptions model;
  SolverOptions solver;
  EngineOptions engine;
  OutputOptions output;
  std::string plan;
  std::string format = "auto";
  bool lint = false;
  bool json = false;
  bool quiet = false;
};

struct Verdict {
  JudgedPlan judged;
  std::string engine;  // Empty for a plan of no engine.
  std::optional<engines::Lint> lint;
};

Result<JudgedPlan> ReadAndJudge(const VerifyOptions& options,
                                const LoadedModel& loaded) {
  if (loaded.rules.entry != graph::SubgraphId(0)) {
    return UsageError("--signature",
                      "a plan from a file is judged for the first subgraph",
                      "leave it out");
  }
  JudgedPlan plan;
  plan.model = loaded.model;
  STOWPLAN_TRY(needs, schedule::FindMemoryNeeds(loaded.model, loaded.rules,
                                                loaded.inference.unknown));
  plan.needs = std::move(needs);
  STOWPLAN_TRY(layout, ReadForeignPlan(options.plan, options.format, loaded,
                                       plan.needs));
  plan.layout = std::move(layout);
  engines::ReplayOptions replay;
  replay.keep_outputs = loaded.rules.outputs == schedule::Io::kKeep;
  plan.replay = engines::ReplayPlan(plan.model, plan.layout, replay);
  return plan;
}

Result<JudgedPlan> JudgeOwn(const VerifyOptions& options,
                            const LoadedModel& loaded) {
  STOWPLAN_TRY(solve_options, ToSolveOptions(options.solver, !options.quiet));
  STOWPLAN_TRY(plan, PackModel(loaded, solve_options));
  return JudgeOwnPlan(loaded, plan);
}

Result<Verdict> Judge(const VerifyOptions& options) {
  STOWPLAN_TRY(loaded, LoadModel(options.model));
  Verdict verdict;
  verdict.engine = !options.plan.empty() ? ""
                   : options.engine.engines.empty()
                       ? "stowplan"
                       : options.engine.engines.front();
  Result<JudgedPlan> judged =
      !options.plan.empty() ? ReadAndJudge(options, loaded)
      : verdict.engine == "stowplan"
          ? JudgeOwn(options, loaded)
          : PlanForeignEngine(verdict.engine, options.model, options.engine,
                              loaded);
  if (!judged) return tl::unexpected(judged.error());
  verdict.judged = *std::move(judged);
  if (options.plan.empty() && !loaded.offline_plan.empty() &&
      verdict.engine != "tflm") {
    verdict.judged.layout.notes.push_back(
        "the file brings a plan of its own for TFLM; --plan metadata judges "
        "it");
  }
  if (options.lint) {
    verdict.lint = {
        engines::LintInPlace(verdict.judged.model, verdict.judged.needs),
        engines::FindReadable(verdict.judged.model, verdict.judged.layout)};
  }
  return verdict;
}

std::string LintText(const graph::Model& model, const engines::Lint& lint) {
  std::string text =
      fmt::format("\n{} that cannot be honoured{}\n",
                  report::Count(static_cast<int64_t>(lint.in_place.size()),
                                "right to write in place"),
                  lint.in_place.empty() ? "" : ":");
  for (const engines::InPlaceFinding& finding : lint.in_place) {
    text += "  " + finding.text + "\n";
  }
  text += "\nHow long tensors can be read:\n";
  for (const engines::Readable& entry : lint.readable) {
    const auto& subgraph = model.subgraph(entry.tensor.subgraph);
    text += "  ";
    if (entry.tensor.subgraph.value() > 0) {
      text += fmt::format("subgraph {}, ", entry.tensor.subgraph.value());
    }
    text += graph::PlaceOf(subgraph, entry.tensor.tensor);
    text += entry.after_run ? ": after the run"
                            : fmt::format(": valid until step {}", entry.until);
    if (entry.overwritten_by.op.valid()) {
      const auto& by = model.subgraph(entry.overwritten_by.subgraph)
                           .operators[entry.overwritten_by.op.index()];
      text += fmt::format(", then operator {} ({}) writes over it",
                          entry.overwritten_by.op.value(), by.type);
    }
    text += "\n";
  }
  return text;
}

// A plan that is sound says little of a model that is never run.
std::string WhyNotRun(const JudgedPlan& judged) {
  if (!judged.is_tflm || judged.tflm.without_kernel.empty()) return "";
  return fmt::format("TFLM would not run this model: no kernel for {}\n",
                     fmt::join(judged.tflm.without_kernel, ", "));
}

std::string Text(const VerifyOptions& options, const Verdict& verdict) {
  const JudgedPlan& judged = verdict.judged;
  const engines::Replay& replay = judged.replay;
  const std::string whose =
      verdict.engine.empty() ? options.plan : verdict.engine;
  std::string text = WhyNotRun(judged);
  text += fmt::format(
      "{}: plan of {}, arena {}\n", options.model.path, whose,
      report::BothBytes(BytesOf(judged.layout, engines::Region::Kind::kArena)));
  const auto reads = static_cast<int64_t>(replay.reads);
  if (replay.ok()) {
    text += fmt::format(
        "sound: each of {} in two runs finds the value that was written\n",
        report::Count(reads, "read"));
  } else {
    text += fmt::format(
        "unsound: {}\n",
        report::Count(static_cast<int64_t>(replay.violations.size()),
                      "violation"));
  }
  for (const engines::BrokenRead& broken : replay.violations) {
    text += "  " + engines::Describe(judged.model, broken) + "\n";
  }
  if (!options.quiet) {
    for (const auto* notes : {&judged.layout.notes, &replay.notes}) {
      for (const std::string& note : *notes) text += "note: " + note + "\n";
    }
  }
  if (verdict.lint) text += LintText(judged.model, *verdict.lint);
  // Names come from the file; line ends are ours.
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    clean += report::ToPrintable(report::ToUtf8(text.substr(at, end - at)));
    clean += '\n';
    at = end + 1;
  }
  return clean;
}

Status CheckOptions(const VerifyOptions& options) {
  if (!options.plan.empty() && !options.engine.engines.empty()) {
    return UsageError("--plan", "and --engine are two plans",
                      "judge one at a time");
  }
  if (options.plan == "-" && options.model.path == "-") {
    return UsageError("--plan -", "stdin cannot be the model and the plan",
                      "name a file for one of them");
  }
  return CheckOwnRules(options.model, options.engine);
}

ExitCode RunVerify(const VerifyOptions& options) {
  if (const Status status = CheckOptions(options); !status) {
    return Fail(status.error());
  }
  const Result<Verdict> verdict = Judge(options);
  if (!verdict) return Fail(verdict.error(), options.model.path);
  const JudgedPlan& judged = verdict->judged;
  const std::string content =
      options.json
          ? engines::WriteVerifyJson(judged.model, judged.layout, judged.replay,
                                     verdict->engine,
                                     verdict->lint ? &*verdict->lint : nullptr)
          : Text(options, *verdict);
  const ExitCode code =
      Emit(options.output, content, {options.model.path, options.plan});
  if (code != kDone) return code;
  return judged.replay.ok() ? kDone : kNo;
}

}  // namespace

void AddVerify(CLI::App& app, Run* run) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand(
      "verify", "Whether every read of a plan finds its value");
  command->footer(
      "Example:\n  stowplan verify model.tflite --engine litert\n"
      "  stowplan verify model.tflite --plan addresses.txt --json\n\n"
      "Without --engine and --plan our own plan is judged. Exit code 1: the "
      "plan loses a value.");
  AddModelOptions(*command, &options->model);
  AddSolverOptions(*command, &options->solver);
  AddEngineOptions(*command, &options->engine, false);
  AddOutputOptions(*command, &options->output);
  command
      ->add_option("--plan", options->plan,
                   "A plan's file; 'metadata' is the one for TFLM in the "
                   "model's own file")
      ->type_name("FILE");
  command
      ->add_option("--plan-format", options->format,
                   "json (stowplan.plan/1), csv (MiniMalloc with offsets), "
                   "tflm (OfflineMemoryAllocation), addresses (TENSOR ADDRESS "
                   "BYTES); auto looks at the content")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "json", "csv", "tflm", "addresses"}));
  command->add_flag("--lint", options->lint,
                    "Also which rights to write in place are refused, and "
                    "until which step each tensor can be read");
  command->add_flag("--json", options->json,
                    "As JSON, schema stowplan.verify/1");
  command->add_flag("--quiet", options->quiet,
                    "No notes, and no progress line");
  command->callback(
      [options, run] { *run = [options] { return RunVerify(*options); }; });
}

}  // namespace stowplan::cli
