// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/engine_json.h"

#include <vector>

#include "stowplan/report/json_object.h"

namespace stowplan::report {
namespace {

std::string Strings(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  for (const std::string& text : texts) values.push_back(JsonString(text));
  return JsonArray(values);
}

std::string Reasons(const std::vector<ReasonRow>& reasons) {
  std::vector<std::string> values;
  for (const ReasonRow& reason : reasons) {
    values.push_back(JsonObject()
                         .Add("cause", reason.cause)
                         .Add("bytes", reason.bytes)
                         .Add("text", reason.text)
                         .Take());
  }
  return JsonArray(values);
}

}  // namespace

std::string RowOf(const ArenaRow& row) {
  return JsonObject()
      .Add("subgraph", row.subgraph)
      .Add("bytes", row.bytes)
      .Add("persistent_bytes", row.persistent_bytes)
      .Take();
}

std::string RowOf(const TflmFigures& figures) {
  std::vector<std::string> phases;
  for (const PhaseRow& phase : figures.phases) {
    phases.push_back(
        JsonObject().Add("name", phase.name).Add("bytes", phase.bytes).Take());
  }
  std::vector<std::string> kept;
  for (const KeepRow& row : figures.kept) {
    kept.push_back(JsonObject()
                       .Add("what", row.what)
                       .Add("region", row.region)
                       .Add("phase", row.phase)
                       .Add("subgraph", row.subgraph)
                       .Add("operator", row.op)
                       .Add("bytes", row.bytes)
                       .Add("offset", row.offset)
                       .Take());
  }
  return JsonObject()
      .Add("least_arena_bytes", figures.least_arena_bytes)
      .Add("head_bytes", figures.head_bytes)
      .Add("tail_bytes", figures.tail_bytes)
      .AddRaw("phases", JsonArray(phases))
      .Add("pointer_bytes", figures.pointer_bytes)
      .Add("build", figures.build)
      .AddRaw("without_kernel", Strings(figures.without_kernel))
      .AddRaw("kept", JsonArray(kept))
      .Take();
}

std::string RowOf(const EngineRow& row) {
  JsonObject object;
  object.Add("engine", row.engine);
  if (!row.error.empty()) return object.Add("error", row.error).Take();
  return object.Add("arena_bytes", row.arena_bytes)
      .Add("persistent_bytes", row.persistent_bytes)
      .Add("heap_bytes", row.heap_bytes)
      .Add("least_arena_bytes", row.least_arena_bytes)
      .AddRaw("reasons", Reasons(row.reasons))
      .AddRaw("differences", Reasons(row.differences))
      .Add("sound", row.violations == 0)
      .Add("violations", row.violations)
      .Add("first_violation", row.first_violation)
      .AddRaw("notes", Strings(row.notes))
      .Take();
}

}  // namespace stowplan::report
