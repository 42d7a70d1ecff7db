// SPDX-License-Identifier: Apache-2.0
#include "stowplan/model/import.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/graph/check.h"
#include "stowplan/model/import_tensor.h"
#include "stowplan/tflite/buffer_content.h"
#include "stowplan/tflite/callees.h"
#include "stowplan/tflite/custom_options.h"
#include "stowplan/tflite/options.h"
#include "stowplan/tflite/place.h"

namespace stowplan::model {
namespace {

namespace schema = tflite::schema;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using Indices = flatbuffers::Vector<int32_t>;

std::vector<TensorId> ToIds(const Indices* indices) {
  std::vector<TensorId> ids;
  if (indices == nullptr) return ids;
  ids.reserve(indices->size());
  for (int32_t index : *indices) {
    ids.push_back(index < 0 ? TensorId() : TensorId(index));
  }
  return ids;
}

// Gives operators with equal options one set of values to share. Looks only
// at the last few sets: those of neighbours are alike, and time stays linear
// in a file that tries to make them all different.
class SharedAttributes {
 public:
  graph::Attributes Share(graph::Attributes attributes) {
    if (attributes.empty()) return attributes;
    const auto known = std::find(recent_.begin(), recent_.end(), attributes);
    if (known != recent_.end()) return *known;
    recent_[next_] = attributes;
    next_ = (next_ + 1) % recent_.size();
    return attributes;
  }

 private:
  std::array<graph::Attributes, 16> recent_;
  size_t next_ = 0;
};

graph::Operator ImportOperator(const tflite::ModelView& view,
                               const schema::Operator& op,
                               SharedAttributes* shared) {
  const schema::BuiltinOperator builtin = view.BuiltinOf(op);
  graph::Operator result;
  result.type = std::string(view.NameOf(op));
  // A custom operator may be called like a builtin one and is another thing.
  if (builtin != schema::BuiltinOperator::CUSTOM) {
    result.kind = graph::OpKindFromName(result.type).value_or(OpKind::kCustom);
  }
  result.inputs = ToIds(op.inputs());
  result.outputs = ToIds(op.outputs());
  result.intermediates = ToIds(op.intermediates());
  graph::Attributes attributes;
  for (tflite::Option& option :
       builtin == schema::BuiltinOperator::CUSTOM
           ? tflite::ReadCustomOptions(view.CustomOptions(op))
           : tflite::ReadOptions(op)) {
    attributes.Set(std::move(option.name), std::move(option.value));
  }
  result.attributes = shared->Share(std::move(attributes));
  for (int32_t callee : tflite::CalleesOf(builtin, op)) {
    result.callees.push_back(SubgraphId(callee));
  }
  return result;
}

// The subgraphs that an application may run by itself: the first, and those
// of the signatures.
std::vector<bool> EntryPoints(const schema::Model& model) {
  std::vector<bool> entries(model.subgraphs()->size(), false);
  entries[0] = true;
  if (model.signature_defs() == nullptr) return entries;
  for (const schema::SignatureDef* signature : *model.signature_defs()) {
    entries[signature->subgraph_index()] = true;
  }
  return entries;
}

graph::Subgraph ImportSubgraph(const tflite::ModelView& view, size_t index,
                               bool entry) {
  const schema::SubGraph& source =
      *view.model().subgraphs()->Get(static_cast<uint32_t>(index));
  graph::Subgraph result;
  result.name = std::string(tflite::ViewOf(source.name()));
  result.inputs = ToIds(source.inputs());
  result.outputs = ToIds(source.outputs());
  if (source.operators() != nullptr) {
    result.operators.reserve(source.operators()->size());
    SharedAttributes shared;
    for (const schema::Operator* op : *source.operators()) {
      result.operators.push_back(ImportOperator(view, *op, &shared));
    }
  }
  const size_t tensors =
      source.tensors() == nullptr ? 0 : source.tensors()->size();
  std::vector<TensorRole> roles(tensors);
  for (const graph::Operator& op : result.operators) {
    for (TensorId id : op.outputs) roles[id.index()].written = true;
  }
  for (TensorId id : result.inputs) {
    roles[id.index()].input = true;
    roles[id.index()].entry_input = entry;
  }
  result.tensors.reserve(tensors);
  for (size_t i = 0; i < tensors; ++i) {
    result.tensors.push_back(ImportTensor(
        view, *source.tensors()->Get(static_cast<uint32_t>(i)), roles[i]));
  }
  return result;
}

std::vector<graph::Signature::Binding> ToBindings(
    const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>>* maps) {
  std::vector<graph::Signature::Binding> bindings;
  if (maps == nullptr) return bindings;
  for (const schema::TensorMap* map : *maps) {
    bindings.push_back({std::string(tflite::ViewOf(map->name())),
                        TensorId::FromIndex(map->tensor_index())});
  }
  return bindings;
}

std::vector<graph::Signature> ImportSignatures(const schema::Model& model) {
  std::vector<graph::Signature> signatures;
  if (model.signature_defs() == nullptr) return signatures;
  for (const schema::SignatureDef* source : *model.signature_defs()) {
    signatures.push_back({std::string(tflite::ViewOf(source->signature_key())),
                          SubgraphId::FromIndex(source->subgraph_index()),
                          ToBindings(source->inputs()),
                          ToBindings(source->outputs())});
  }
  return signatures;
}

graph::SourceFacts ImportFacts(const tflite::ModelView& view) {
  const schema::Model& model = view.model();
  graph::SourceFacts facts;
  facts.bytes = static_cast<Bytes>(view.file().size());
  facts.description = std::string(tflite::ViewOf(model.description()));
  if (model.metadata() != nullptr) {
    for (const schema::Metadata* entry : *model.metadata()) {
      facts.metadata.emplace_back(tflite::ViewOf(entry->name()));
    }
  }
  if (model.buffers() != nullptr) {
    for (const schema::Buffer* buffer : *model.buffers()) {
      facts.external_buffers += tflite::IsOutside(*buffer) ? 1 : 0;
    }
  }
  return facts;
}

}  // namespace

Result<graph::Model> Import(const tflite::ModelView& view,
                            std::shared_ptr<const void> storage) {
  const schema::Model& source = view.model();
  const std::vector<bool> entries = EntryPoints(source);
  graph::Model model;
  model.storage = std::move(storage);
  model.subgraphs.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    model.subgraphs.push_back(ImportSubgraph(view, i, entries[i]));
  }
  model.signatures = ImportSignatures(source);
  model.source = ImportFacts(view);
  // Indices were checked with the file; what is left are the promises that
  // only the graph makes, such as the order of its operators.
  if (Status status = graph::CheckModel(model); !status) {
    // Not every fault of a graph has a remedy, but a broken file has one.
    if (status.error().remedy.empty()) {
      status.error().remedy = "convert the model again";
    }
    return tl::unexpected(std::move(status).error());
  }
  return model;
}

}  // namespace stowplan::model
