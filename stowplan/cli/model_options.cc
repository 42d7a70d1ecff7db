// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/model_options.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "stowplan/cli/units.h"
#include "stowplan/engines/tflm.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/model/import.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::cli {
namespace {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// "NAME:1,640,640,3"; the name may have colons of its own.
Result<graph::ShapeOverride> ParseShape(std::string_view text) {
  const auto bad = [&] {
    return UsageError(fmt::format("--shape '{}'", text), "is no name and shape",
                      "write NAME:1,640,640,3");
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return bad();
  graph::ShapeOverride result;
  result.name = std::string(text.substr(0, colon));
  std::string_view rest = text.substr(colon + 1);
  while (!rest.empty()) {  // "NAME:" is a scalar.
    const size_t comma = rest.find(',');
    const std::optional<int64_t> dim = ParseInt(rest.substr(0, comma));
    if (!dim || *dim < 0) return bad();
    result.shape.push_back(*dim);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
    if (rest.empty()) return bad();
  }
  return result;
}

// A graph is a JSON object; a model file has its identifier at byte 4.
bool LooksLikeJson(std::string_view text) {
  const bool is_model = text.size() >= 8 && text.substr(4, 4) == "TFL3";
  const size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return !is_model && first != std::string_view::npos && text[first] == '{';
}

std::span<const std::byte> FindOfflinePlan(const tflite::ModelView& view) {
  if (view.model().metadata() == nullptr) return {};
  for (const tflite::schema::Metadata* entry : *view.model().metadata()) {
    if (entry == nullptr || entry->name() == nullptr ||
        entry->name()->string_view() != engines::kTflmOfflinePlanName ||
        view.model().buffers() == nullptr ||
        entry->buffer() >= view.model().buffers()->size()) {
      continue;
    }
    return view.Content(entry->buffer());
  }
  return {};
}

// Fills `stored` and `offline_plan`.
Status ReadModel(LoadedModel* loaded) {
  const InputFile& file = loaded->file;
  if (LooksLikeJson(file.text())) {
    STOWPLAN_TRY(model, graph::ReadGraphJson(file.text()));
    loaded->stored = std::move(model);
    return {};
  }
  STOWPLAN_TRY(view, tflite::ModelView::Open(file.bytes));
  loaded->offline_plan = FindOfflinePlan(view);
  STOWPLAN_TRY(model, model::Import(view, file.storage));
  loaded->stored = std::move(model);
  loaded->view = view;
  return {};
}

Result<SubgraphId> FindEntry(const graph::Model& model,
                             const std::string& name) {
  if (name.empty()) return SubgraphId(0);
  std::string known;
  for (const graph::Signature& signature : model.signatures) {
    if (signature.key == name) return signature.subgraph;
    known += (known.empty() ? "" : ", ") + signature.key;
  }
  return UsageError("--signature " + name, "the model has no such signature",
                    known.empty() ? "it has none at all" : "it has " + known);
}

// By name, or by index where the text is a number. Tensors of the entry come
// first, so that a name that callees use too means the entry's.
Result<TensorRef> FindTensor(const graph::Model& model, SubgraphId entry,
                             const std::string& text) {
  std::vector<SubgraphId> order = {entry};
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    if (s != entry.index()) order.push_back(SubgraphId::FromIndex(s));
  }
  for (SubgraphId id : order) {
    const auto& tensors = model.subgraph(id).tensors;
    const auto found =
        std::find_if(tensors.begin(), tensors.end(),
                     [&](const graph::Tensor& t) { return t.name == text; });
    if (found != tensors.end()) {
      return TensorRef{id, TensorId::FromIndex(
                               static_cast<size_t>(found - tensors.begin()))};
    }
  }
  const std::optional<int64_t> index = ParseInt(text);
  if (index && *index >= 0 &&
      static_cast<size_t>(*index) < model.subgraph(entry).tensors.size()) {
    return TensorRef{entry, TensorId(static_cast<int32_t>(*index))};
  }
  return UsageError("--keep " + text, "the model has no such tensor",
                    "give a name or an index of those that stowplan plan "
                    "--format csv lists");
}

schedule::InPlace ParseInPlace(const std::string& text) {
  if (text == "off") return schedule::InPlace::kOff;
  if (text == "engine") return schedule::InPlace::kEngine;
  return schedule::InPlace::kSafe;
}

schedule::Io ParseIo(const std::string& text) {
  return text == "keep" ? schedule::Io::kKeep : schedule::Io::kRecycle;
}

Result<schedule::Rules> MakeRules(const ModelOptions& options,
                                  const graph::Model& model) {
  schedule::Rules rules;
  rules.alignment = model.alignment.value_or(rules.alignment);
  if (!options.alignment.empty()) {
    STOWPLAN_TRY(alignment, ParseSize(options.alignment));
    rules.alignment = alignment;
  }
  rules.inputs = ParseIo(options.inputs);
  rules.outputs = ParseIo(options.outputs);
  rules.in_place = ParseInPlace(options.in_place);
  rules.fold_constants = options.fold_constants == "on";
  STOWPLAN_TRY(entry, FindEntry(model, options.signature));
  rules.entry = entry;
  for (const std::string& name : options.keep) {
    STOWPLAN_TRY(tensor, FindTensor(model, entry, name));
    rules.keep.push_back(tensor);
  }
  return rules;
}

}  // namespace

void AddModelOptions(CLI::App& command, ModelOptions* options) {
  command
      .add_option("model", options->path,
                  "A .tflite file or a graph as JSON; - reads stdin")
      ->required()
      ->type_name("MODEL");
  command
      .add_option("--shape", options->shapes,
                  "The shape of an input, as NAME:1,640,640,3; repeatable")
      ->type_size(1)
      ->allow_extra_args(false);
  command.add_option("--alignment", options->alignment,
                     "Bytes to align every buffer to; default 64");
  command
      .add_option("--inputs", options->inputs,
                  "recycle: an input's bytes may be taken after its last "
                  "reader; keep: it stays readable")
      ->capture_default_str()
      ->check(CLI::IsMember({"recycle", "keep"}));
  command
      .add_option("--outputs", options->outputs,
                  "keep: an output stays readable after the run; recycle: "
                  "only until its last reader")
      ->capture_default_str()
      ->check(CLI::IsMember({"keep", "recycle"}));
  command
      .add_option("--keep", options->keep,
                  "Tensors that stay readable after the run, by name or index")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--in-place", options->in_place,
                  "safe: views share and proved overwrites are allowed; off: "
                  "every tensor has its own bytes; engine: as an engine "
                  "claims, unproved")
      ->capture_default_str()
      ->check(CLI::IsMember({"safe", "off", "engine"}));
  command
      .add_option("--fold-constants", options->fold_constants,
                  "on: DEQUANTIZE and DENSIFY of constants run once, into "
                  "persistent memory; off: they run each time")
      ->capture_default_str()
      ->check(CLI::IsMember({"on", "off"}));
  command.add_option("--signature", options->signature,
                     "The entry point to plan; default: the first subgraph");
  for (const char* name : {"--alignment", "--inputs", "--outputs", "--keep",
                           "--in-place", "--fold-constants"}) {
    options->own_rules.push_back(command.get_option(name));
  }
}

Result<LoadedModel> LoadStored(const ModelOptions& options) {
  LoadedModel loaded;
  graph::ShapeOverrides overrides;
  for (const std::string& text : options.shapes) {
    STOWPLAN_TRY(shape, ParseShape(text));
    for (const graph::ShapeOverride& other : overrides) {
      if (other.name != shape.name) continue;
      return UsageError("--shape " + text, "this input has a shape already");
    }
    overrides.push_back(std::move(shape));
  }
  STOWPLAN_TRY(file, ReadInput(options.path));
  loaded.file = std::move(file);
  STOWPLAN_RETURN_IF_ERROR(ReadModel(&loaded));
  STOWPLAN_TRY(rules, MakeRules(options, loaded.stored));
  loaded.rules = std::move(rules);
  loaded.shapes = std::move(overrides);
  return loaded;
}

Result<LoadedModel> LoadModel(const ModelOptions& options) {
  STOWPLAN_TRY(loaded, LoadStored(options));
  loaded.model = loaded.stored;
  STOWPLAN_TRY(inference, graph::InferShapes(&loaded.model, loaded.shapes));
  loaded.inference = std::move(inference);
  return loaded;
}

}  // namespace stowplan::cli
