// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/verify_json.h"

#include "nlohmann/json.hpp"

namespace stowplan::engines {
namespace {

using nlohmann::ordered_json;

// Null for the caller.
ordered_json ToJson(const graph::Model& model, graph::OperatorRef ref) {
  if (!ref.op.valid()) return nullptr;
  return {{"subgraph", ref.subgraph.value()},
          {"operator", ref.op.value()},
          {"op", model.subgraph(ref.subgraph).operators[ref.op.index()].type}};
}

// Null for scratch.
ordered_json ToJson(const graph::Model& model, graph::TensorRef ref) {
  if (!ref.tensor.valid()) return nullptr;
  return {{"subgraph", ref.subgraph.value()},
          {"tensor", ref.tensor.value()},
          {"name", model.subgraph(ref.subgraph).tensor(ref.tensor).name}};
}

ordered_json ToJson(const graph::Model& model, const Layout& layout,
                    const BrokenRead& broken) {
  ordered_json overwriter;
  if (broken.written) {
    overwriter = {{"subgraph", nullptr},
                  {"operator", nullptr},
                  {"op", nullptr},
                  {"tensor", nullptr},
                  {"name", nullptr}};
    if (broken.overwritten_by.op.valid()) {
      overwriter.update(ToJson(model, broken.overwritten_by));
    }
    if (broken.overwriting.tensor.valid()) {
      overwriter.update(ToJson(model, broken.overwriting));
    }
  }
  return {{"step", broken.step},
          {"reader", ToJson(model, broken.reader)},
          {"tensor", ToJson(model, broken.tensor)},
          {"writer", ToJson(model, broken.writer)},
          {"overwritten_by", overwriter},
          {"bytes", {broken.bytes.begin, broken.bytes.end}},
          {"region", NameOf(layout.regions[broken.region].kind)},
          {"text", Describe(model, broken)}};
}

ordered_json ToJson(const graph::Model& model, const Lint& lint) {
  ordered_json in_place = ordered_json::array();
  for (const InPlaceFinding& finding : lint.in_place) {
    in_place.push_back({{"operator", ToJson(model, finding.op)},
                        {"operand", ToJson(model, finding.operand)},
                        {"blocker", ToJson(model, finding.blocker)},
                        {"text", finding.text}});
  }
  ordered_json readable = ordered_json::array();
  for (const Readable& entry : lint.readable) {
    readable.push_back(
        {{"tensor", ToJson(model, entry.tensor)},
         {"from", entry.from},
         {"until", entry.until},
         {"after_run", entry.after_run},
         {"overwritten_by", ToJson(model, entry.overwritten_by)}});
  }
  return {{"in_place", in_place}, {"readable", readable}};
}

}  // namespace

std::string WriteVerifyJson(const graph::Model& model, const Layout& layout,
                            const Replay& replay, std::string_view engine,
                            const Lint* lint) {
  ordered_json document = {{"schema", "stowplan.verify/1"},
                           {"engine", nullptr},
                           {"ok", replay.ok()},
                           {"violations", ordered_json::array()},
                           {"notes", ordered_json::array()}};
  if (!engine.empty()) document["engine"] = engine;
  for (const BrokenRead& broken : replay.violations) {
    document["violations"].push_back(ToJson(model, layout, broken));
  }
  for (const auto* notes : {&layout.notes, &replay.notes}) {
    for (const std::string& note : *notes) document["notes"].push_back(note);
  }
  if (lint != nullptr) document["lint"] = ToJson(model, *lint);
  // Names from a file need not be UTF-8.
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace stowplan::engines
