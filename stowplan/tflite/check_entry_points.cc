// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "stowplan/tflite/check.h"
#include "stowplan/tflite/place.h"

namespace stowplan::tflite {
namespace {

using Bindings = flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>>;

Status CheckBindings(CheckContext& context, const std::string& where,
                     const Bindings* bindings, size_t tensors) {
  for (size_t i = 0; i < SizeOf(bindings); ++i) {
    const schema::TensorMap& binding = *bindings->Get(static_cast<uint32_t>(i));
    if (!context.budget.Take(static_cast<Bytes>(SizeOf(binding.name())) + 48)) {
      return TooCostly(where);
    }
    if (binding.tensor_index() < tensors) continue;
    return BadInput(
        where,
        "the name '" + Printable(ViewOf(binding.name())) +
            "' stands for tensor " + std::to_string(binding.tensor_index()) +
            ", but its subgraph has " + std::to_string(tensors) + " tensors",
        "convert the model again");
  }
  return {};
}

Status CheckSignature(CheckContext& context, size_t index) {
  const schema::Model& model = context.model;
  const schema::SignatureDef& signature =
      *model.signature_defs()->Get(static_cast<uint32_t>(index));
  const std::string where =
      PlaceOf("signature", index, ViewOf(signature.signature_key()),
              context.file.data(), &signature);
  if (!context.budget.Take(
          static_cast<Bytes>(SizeOf(signature.signature_key())) + 96)) {
    return TooCostly(where);
  }
  if (signature.subgraph_index() >= SizeOf(model.subgraphs())) {
    return BadInput(
        where,
        "it runs subgraph " + std::to_string(signature.subgraph_index()) +
            ", but there are " + std::to_string(SizeOf(model.subgraphs())),
        "convert the model again");
  }
  const size_t tensors =
      SizeOf(model.subgraphs()->Get(signature.subgraph_index())->tensors());
  STOWPLAN_RETURN_IF_ERROR(
      CheckBindings(context, where, signature.inputs(), tensors));
  return CheckBindings(context, where, signature.outputs(), tensors);
}

Status CheckMetadata(CheckContext& context, size_t index) {
  const schema::Model& model = context.model;
  const schema::Metadata& entry =
      *model.metadata()->Get(static_cast<uint32_t>(index));
  const std::string where = PlaceOf("metadata", index, ViewOf(entry.name()),
                                    context.file.data(), &entry);
  if (!context.budget.Take(static_cast<Bytes>(SizeOf(entry.name())) + 32)) {
    return TooCostly(where);
  }
  if (entry.buffer() < SizeOf(model.buffers())) return {};
  return BadInput(where,
                  "its content is buffer " + std::to_string(entry.buffer()) +
                      ", but there are " +
                      std::to_string(SizeOf(model.buffers())),
                  "convert the model again");
}

}  // namespace

Status CheckEntryPoints(CheckContext& context) {
  for (size_t i = 0; i < SizeOf(context.model.signature_defs()); ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckSignature(context, i));
  }
  for (size_t i = 0; i < SizeOf(context.model.metadata()); ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckMetadata(context, i));
  }
  return {};
}

}  // namespace stowplan::tflite
