// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/json.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

using Json = nlohmann::ordered_json;

// Does not throw: bytes that are no UTF-8 are replaced.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

double ShareOf(Bytes part, Bytes whole) {
  return static_cast<double>(BasisPoints(part, whole)) / 10000.0;
}

Json ModelOf(const Document& document) {
  return {{"path", document.path},
          {"bytes", document.file_bytes},
          {"subgraphs", document.subgraphs},
          {"operators", document.operators}};
}

Json OptionsOf(const Document& document) {
  const Options& options = document.options;
  return {{"alignment", options.alignment},
          {"inputs", options.inputs},
          {"outputs", options.outputs},
          {"in_place", options.in_place},
          {"order", options.order},
          {"solver", options.solver},
          {"fold_constants", options.fold_constants},
          {"keep", options.keep}};
}

Json ArenaOf(const Document& document) {
  const Arena& arena = document.arena;
  return {{"bytes", arena.bytes},
          {"lower_bound", arena.lower_bound},
          {"verdict", solve::ToString(arena.verdict)},
          {"naive_bytes", arena.naive_bytes},
          {"max_live_bytes", arena.max_live_bytes},
          {"alignment_waste", arena.alignment_waste},
          {"proved_bound", arena.proved_bound},
          {"proof", solve::ToString(arena.proof)},
          {"found_by", arena.found_by}};
}

Json PeakOf(const Document& document) {
  const Peak& peak = document.peak;
  Json buffers = Json::array();
  for (const PeakBuffer& buffer : peak.buffers) {
    const TensorRow& row = document.tensors[buffer.row];
    buffers.push_back({{"subgraph", row.subgraph},
                       {"tensor", OrNull(row.tensor)},
                       {"name", row.name},
                       {"bytes", buffer.bytes},
                       {"share", ShareOf(buffer.bytes, peak.bytes)},
                       {"used", buffer.used}});
  }
  return {{"step", peak.step},
          {"subgraph", peak.op.subgraph},
          {"operator", OrNull(peak.op.index)},
          {"op", peak.op.type},
          {"bytes", peak.bytes},
          {"name", peak.op.name},
          {"buffers", std::move(buffers)}};
}

Json RowOf(const TensorRow& row) {
  return {{"subgraph", row.subgraph},
          {"tensor", OrNull(row.tensor)},
          {"name", row.name},
          {"kind", schedule::NameOf(row.kind)},
          {"dtype", row.dtype},
          {"shape", OrNull(row.shape)},
          {"bytes", row.bytes},
          {"offset", OrNull(row.offset)},
          {"begin", OrNull(row.begin)},
          {"end", OrNull(row.end)},
          {"alias_of", OrNull(row.alias_of)},
          {"producer", OrNull(row.producer)},
          {"last_reader", OrNull(row.last_reader)},
          {"owner", OrNull(row.owner)},
          {"buffer", OrNull(row.buffer)}};
}

Json RowOf(const DynamicRow& row) {
  return {{"subgraph", row.subgraph},
          {"tensor", row.tensor},
          {"name", row.name},
          {"because", row.because}};
}

Json RowOf(const CallRow& row) {
  return {{"begin", row.step},
          {"end", row.end},
          {"subgraph", row.op.subgraph},
          {"operator", OrNull(row.op.index)},
          {"op", row.op.type},
          {"callees", row.callees},
          {"outer_bytes", row.outer_bytes},
          {"inner_bytes", row.inner_bytes}};
}

Json RowOf(const RefusalRow& row) {
  return {{"subgraph", row.op.subgraph}, {"operator", OrNull(row.op.index)},
          {"op", row.op.type},           {"input", row.input},
          {"blocker", row.blocker},      {"text", row.text}};
}

Json RowOf(const Price& price) {
  return {{"option", price.option},
          {"lower_bound", price.lower_bound},
          {"arena_difference", price.arena_difference},
          {"persistent_difference", price.persistent_difference}};
}

Json RowOf(const std::string& note) { return note; }

// The sections, each on a line of its own; lists a row a line.
class Writer {
 public:
  void Add(std::string_view key, const Json& value) {
    Key(key);
    text_ += Dump(value);
  }

  template <class Row>
  void AddList(std::string_view key, const std::vector<Row>& rows) {
    Key(key);
    text_ += "[";
    const char* separator = "\n  ";
    for (const Row& row : rows) {
      text_ += separator;
      text_ += Dump(RowOf(row));
      separator = ",\n  ";
    }
    text_ += "]";
  }

  std::string Take() && { return std::move(text_) + "}\n"; }

 private:
  void Key(std::string_view key) {
    text_ += text_.empty() ? "{" : ",\n ";
    text_ += "\"" + std::string(key) + "\": ";
  }

  std::string text_;
};

// Steps as they are indexed by "begin" and "end".
struct NumberedStep {
  int64_t step;
  const StepRow* row;
};

Json RowOf(const NumberedStep& step) {
  return {{"step", step.step},
          {"subgraph", step.row->op.subgraph},
          {"operator", OrNull(step.row->op.index)},
          {"op", step.row->op.type},
          {"live_bytes", step.row->live_bytes}};
}

std::vector<NumberedStep> Numbered(const std::vector<StepRow>& steps) {
  std::vector<NumberedStep> numbered;
  numbered.reserve(steps.size());
  for (const StepRow& row : steps) {
    numbered.push_back({static_cast<int64_t>(numbered.size()), &row});
  }
  return numbered;
}

}  // namespace

std::string ToJson(const Document& document) {
  Writer writer;
  writer.Add("schema", "stowplan.plan/1");
  writer.Add("engine", document.engine);
  writer.Add("model", ModelOf(document));
  writer.Add("options", OptionsOf(document));
  writer.Add("arena", ArenaOf(document));
  writer.Add("persistent", {{"bytes", document.persistent_bytes}});
  writer.Add("mapped", {{"bytes", document.mapped_bytes},
                        {"is_mapped", document.mapped}});
  writer.AddList("dynamic", document.dynamic);
  writer.Add("peak", PeakOf(document));
  writer.Add("advice", {{"kind", NameOf(document.advice.kind)},
                        {"text", document.advice.text}});
  writer.AddList("notes", document.notes);
  writer.AddList("rule_prices", document.prices);
  writer.AddList("calls", document.calls);
  writer.AddList("in_place_refusals", document.refusals);
  writer.AddList("tensors", document.tensors);
  writer.AddList("steps", Numbered(document.steps));
  return std::move(writer).Take();
}

}  // namespace stowplan::report
