// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/engine_options.h"

#include <algorithm>
#include <utility>

#include "stowplan/engines/litert.h"

namespace stowplan::cli {
namespace {

constexpr const char* kEngines[] = {"stowplan", "litert", "tflm"};

Status CheckTflm(const ModelOptions& options) {
  if (!options.shapes.empty()) {
    return UsageError("--shape", "TFLM takes the shapes that the file stores",
                      "leave it out, or store the shapes in the file");
  }
  if (!options.signature.empty()) {
    return UsageError("--signature", "TFLM runs the first subgraph",
                      "leave it out");
  }
  return {};
}

Status PlanByTflm(const ModelOptions& model_options,
                  const EngineOptions& options, const LoadedModel& loaded,
                  JudgedPlan* plan) {
  STOWPLAN_RETURN_IF_ERROR(CheckTflm(model_options));
  plan->is_tflm = true;
  plan->model = loaded.stored;
  plan->tflm_options.pointer_bytes = options.pointer_bytes;
  if (options.tflm_build == "wheel") {
    plan->tflm_options.build = engines::TflmBuild::kWheel;
  }
  if (!loaded.offline_plan.empty()) {
    size_t tensors = 0;
    for (const graph::Subgraph& subgraph : plan->model.subgraphs) {
      tensors += subgraph.tensors.size();
    }
    STOWPLAN_TRY(offsets,
                 engines::ReadTflmOfflinePlan(loaded.offline_plan, tensors));
    plan->tflm_options.offline_offsets = std::move(offsets);
  }
  STOWPLAN_TRY(tflm, engines::PlanTflm(plan->model, plan->tflm_options));
  plan->layout = tflm.layout;
  plan->tflm = std::move(tflm);
  return {};
}

}  // namespace

void AddEngineOptions(CLI::App& command, EngineOptions* options, bool several) {
  std::vector<std::string> names(std::begin(kEngines), std::end(kEngines));
  if (several) names.emplace_back("all");
  CLI::Option* engine =
      command
          .add_option("--engine", options->engines,
                      several ? "Whose plans to set side by side: stowplan, "
                                "litert, tflm, a list of them, or all"
                              : "Whose plan: stowplan, litert or tflm")
          ->check(CLI::IsMember(names));
  if (several) {
    engine->delimiter(',')->allow_extra_args(false);
  } else {
    engine->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  }
  command
      .add_option("--pointer-bytes", options->pointer_bytes,
                  "TFLM: 4 for a device, 8 for a 64-bit host")
      ->capture_default_str()
      ->check(CLI::IsMember({4, 8}));
  command
      .add_option("--tflm-build", options->tflm_build,
                  "plain: as programs link it; wheel: the Python package, "
                  "with its recording allocator")
      ->capture_default_str()
      ->check(CLI::IsMember({"plain", "wheel"}));
}

std::vector<std::string> NamedEngines(const EngineOptions& options) {
  std::vector<std::string> named;
  const auto add = [&named](const std::string& engine) {
    if (std::find(named.begin(), named.end(), engine) == named.end()) {
      named.push_back(engine);
    }
  };
  for (const std::string& engine : options.engines) {
    if (engine != "all") {
      add(engine);
      continue;
    }
    for (const char* each : kEngines) add(each);
  }
  return named;
}

Status CheckOwnRules(const ModelOptions& model_options,
                     const EngineOptions& options) {
  if (options.engines.empty() || options.engines.front() == "stowplan") {
    return {};
  }
  for (const CLI::Option* option : model_options.own_rules) {
    if (option->count() == 0) continue;
    return UsageError(option->get_name(),
                      "is a rule of our plan, and with --engine " +
                          options.engines.front() +
                          " the engine's own rules apply",
                      "leave one of them out");
  }
  return {};
}

report::EnginePlan JudgedPlan::View() const {
  return {&model,      &needs, &layout, &replay, is_tflm ? &tflm : nullptr,
          tflm_options};
}

Result<JudgedPlan> PlanForeignEngine(std::string_view engine,
                                     const ModelOptions& model_options,
                                     const EngineOptions& options,
                                     const LoadedModel& loaded) {
  JudgedPlan plan;
  schedule::Rules rules;
  rules.entry = loaded.rules.entry;
  std::vector<schedule::Dynamic> unknown;
  if (engine == "tflm") {
    STOWPLAN_RETURN_IF_ERROR(PlanByTflm(model_options, options, loaded, &plan));
  } else {
    plan.model = loaded.model;
    unknown = loaded.inference.unknown;
    STOWPLAN_TRY(layout, engines::PlanLiteRt(plan.model, rules.entry));
    plan.layout = std::move(layout);
  }
  STOWPLAN_TRY(needs, schedule::FindMemoryNeeds(plan.model, rules, unknown));
  plan.needs = std::move(needs);
  plan.replay = engines::ReplayPlan(plan.model, plan.layout);
  return plan;
}

}  // namespace stowplan::cli
