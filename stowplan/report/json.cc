// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/json.h"

#include <string_view>
#include <utility>
#include <vector>

#include "stowplan/report/engine_json.h"
#include "stowplan/report/json_object.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

std::string ModelOf(const Document& document) {
  return JsonObject()
      .Add("path", document.path)
      .Add("bytes", document.file_bytes)
      .Add("subgraphs", document.subgraphs)
      .Add("operators", document.operators)
      .Take();
}

std::string OptionsOf(const Document& document) {
  const Options& options = document.options;
  std::vector<std::string> keep;
  for (const std::string& name : options.keep) keep.push_back(JsonString(name));
  return JsonObject()
      .Add("alignment", options.alignment)
      .Add("inputs", options.inputs)
      .Add("outputs", options.outputs)
      .Add("in_place", options.in_place)
      .Add("order", options.order)
      .Add("solver", options.solver)
      .Add("fold_constants", options.fold_constants)
      .AddRaw("keep", JsonArray(keep))
      .Take();
}

std::string ArenaOf(const Document& document) {
  const Arena& arena = document.arena;
  return JsonObject()
      .Add("bytes", arena.bytes)
      .Add("lower_bound", arena.proved_bound)
      .Add("verdict", solve::ToString(arena.verdict))
      .Add("naive_bytes", arena.naive_bytes)
      .Add("max_live_bytes", arena.max_live_bytes)
      .Add("alignment_waste", arena.alignment_waste)
      .Add("load_bound", arena.lower_bound)
      .Add("proof", solve::ToString(arena.proof))
      .Add("found_by", arena.found_by)
      .Take();
}

std::string PeakOf(const Document& document) {
  const Peak& peak = document.peak;
  std::vector<std::string> buffers;
  for (const PeakBuffer& buffer : peak.buffers) {
    const TensorRow& row = document.tensors[buffer.row];
    buffers.push_back(
        JsonObject()
            .Add("subgraph", row.subgraph)
            .Add("tensor", row.tensor)
            .Add("name", row.name)
            .Add("bytes", buffer.bytes)
            .AddFraction("share", BasisPoints(buffer.bytes, peak.bytes))
            .Add("used", buffer.used)
            .Take());
  }
  return JsonObject()
      .Add("step", peak.step)
      .Add("subgraph", peak.op.subgraph)
      .Add("operator", peak.op.index)
      .Add("op", peak.op.type)
      .Add("bytes", peak.bytes)
      .Add("name", peak.op.name)
      .AddRaw("buffers", JsonArray(buffers))
      .Take();
}

std::string RowOf(const TensorRow& row) {
  JsonObject object;
  object.Add("subgraph", row.subgraph)
      .Add("tensor", row.tensor)
      .Add("name", row.name)
      .Add("kind", schedule::NameOf(row.kind))
      .Add("dtype", row.dtype);
  if (row.shape) {
    object.Add("shape", *row.shape);
  } else {
    object.AddRaw("shape", "null");
  }
  object.Add("bytes", row.bytes)
      .Add("offset", row.offset)
      .Add("begin", row.begin)
      .Add("end", row.end)
      .Add("alias_of", row.alias_of)
      .Add("producer", row.producer)
      .Add("last_reader", row.last_reader)
      .Add("owner", row.owner)
      .Add("buffer", row.buffer);
  if (row.arena) object.Add("arena", row.arena);
  if (row.engine_tensor) object.Add("engine_tensor", row.engine_tensor);
  if (!row.phase.empty()) object.Add("phase", row.phase);
  return object.Take();
}

std::string RowOf(const DynamicRow& row) {
  return JsonObject()
      .Add("subgraph", row.subgraph)
      .Add("tensor", row.tensor)
      .Add("name", row.name)
      .Add("because", row.because)
      .Take();
}

std::string RowOf(const CallRow& row) {
  return JsonObject()
      .Add("begin", row.step)
      .Add("end", row.end)
      .Add("subgraph", row.op.subgraph)
      .Add("operator", row.op.index)
      .Add("op", row.op.type)
      .Add("callees", row.callees)
      .Add("outer_bytes", row.outer_bytes)
      .Add("inner_bytes", row.inner_bytes)
      .Take();
}

std::string RowOf(const RefusalRow& row) {
  return JsonObject()
      .Add("subgraph", row.op.subgraph)
      .Add("operator", row.op.index)
      .Add("op", row.op.type)
      .Add("input", row.input)
      .Add("blocker", row.blocker)
      .Add("text", row.text)
      .Take();
}

std::string RowOf(const Price& price) {
  return JsonObject()
      .Add("option", price.option)
      .Add("lower_bound", price.lower_bound)
      .Add("arena_difference", price.arena_difference)
      .Add("persistent_difference", price.persistent_difference)
      .Take();
}

std::string RowOf(const std::string& note) { return JsonString(note); }

// The sections, each on a line of its own; lists a row a line.
class Writer {
 public:
  // `json` is a JSON value already.
  void Add(std::string_view key, std::string_view json) {
    Key(key);
    text_ += json;
  }

  template <class Row>
  void AddList(std::string_view key, const std::vector<Row>& rows) {
    Key(key);
    text_ += "[";
    const char* separator = "\n  ";
    for (const Row& row : rows) {
      text_ += separator;
      text_ += RowOf(row);
      separator = ",\n  ";
    }
    text_ += "]";
  }

  std::string Take() && { return std::move(text_) + "}\n"; }

 private:
  void Key(std::string_view key) {
    text_ += text_.empty() ? "{\"" : ",\n \"";
    text_ += key;
    text_ += "\": ";
  }

  std::string text_;
};

// Steps as they are indexed by "begin" and "end".
struct NumberedStep {
  int64_t step;
  const StepRow* row;
};

std::string RowOf(const NumberedStep& step) {
  return JsonObject()
      .Add("step", step.step)
      .Add("subgraph", step.row->op.subgraph)
      .Add("operator", step.row->op.index)
      .Add("op", step.row->op.type)
      .Add("live_bytes", step.row->live_bytes)
      .Take();
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
  writer.Add("schema", JsonString("stowplan.plan/1"));
  writer.Add("engine", JsonString(document.engine));
  writer.Add("model", ModelOf(document));
  writer.Add("options", OptionsOf(document));
  writer.Add("arena", ArenaOf(document));
  writer.Add("persistent",
             JsonObject().Add("bytes", document.persistent_bytes).Take());
  writer.Add("mapped", JsonObject()
                           .Add("bytes", document.mapped_bytes)
                           .Add("is_mapped", document.mapped)
                           .Take());
  writer.AddList("dynamic", document.dynamic);
  writer.Add("peak", PeakOf(document));
  writer.Add("advice", JsonObject()
                           .Add("kind", NameOf(document.advice.kind))
                           .Add("text", document.advice.text)
                           .Take());
  writer.AddList("notes", document.notes);
  if (!document.arenas.empty()) writer.AddList("arenas", document.arenas);
  if (document.tflm) writer.Add("tflm", RowOf(*document.tflm));
  if (!document.engines.empty()) writer.AddList("engines", document.engines);
  writer.AddList("rule_prices", document.prices);
  writer.AddList("calls", document.calls);
  writer.AddList("in_place_refusals", document.refusals);
  writer.AddList("tensors", document.tensors);
  writer.AddList("steps", Numbered(document.steps));
  return std::move(writer).Take();
}

}  // namespace stowplan::report
