// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "stowplan/base/checked_math.h"
#include "stowplan/tflite/buffer_content.h"
#include "stowplan/tflite/check.h"
#include "stowplan/tflite/place.h"

namespace stowplan::tflite {
namespace {

using schema::BuiltinOperator;

constexpr uint32_t kVersion = 3;

Status CheckCode(const CheckContext& context, size_t index) {
  const schema::OperatorCode& code =
      *context.model.operator_codes()->Get(static_cast<uint32_t>(index));
  const BuiltinOperator builtin = BuiltinOf(code);
  const std::string where =
      PlaceOf("operator code", index, "", context.file.data(), &code);
  if (builtin < BuiltinOperator::MIN || builtin > BuiltinOperator::MAX) {
    return BadInput(
        where,
        "the operator number " + std::to_string(static_cast<int>(builtin)) +
            " is not among the " +
            std::to_string(static_cast<int>(BuiltinOperator::MAX) + 1) +
            " of the format that this version knows",
        "the file is damaged or newer than this version of Stowplan");
  }
  if (builtin == BuiltinOperator::CUSTOM && SizeOf(code.custom_code()) == 0) {
    return BadInput(where, "a custom operator has no name",
                    "write its custom_code");
  }
  return {};
}

Status CheckBuffer(const CheckContext& context, size_t index) {
  const schema::Buffer& buffer =
      *context.model.buffers()->Get(static_cast<uint32_t>(index));
  if (!IsOutside(buffer)) return {};
  const uint64_t file_size = context.file.size();
  if (buffer.offset() <= file_size &&
      buffer.size() <= file_size - buffer.offset()) {
    return {};
  }
  return BadInput(
      PlaceOf("buffer", index, "", context.file.data(), &buffer),
      "its " + std::to_string(buffer.size()) + " bytes from byte " +
          std::to_string(buffer.offset()) + " on are not in the file of " +
          std::to_string(file_size) + " bytes",
      "the file was cut short or its weights were left behind; copy it again");
}

Status CheckBoundary(const CheckContext& context, size_t subgraph,
                     std::string_view side,
                     const flatbuffers::Vector<int32_t>* tensors) {
  const schema::SubGraph& graph =
      *context.model.subgraphs()->Get(static_cast<uint32_t>(subgraph));
  for (size_t i = 0; i < SizeOf(tensors); ++i) {
    const int32_t tensor = tensors->Get(static_cast<uint32_t>(i));
    if (tensor >= 0 && static_cast<size_t>(tensor) < SizeOf(graph.tensors())) {
      continue;
    }
    return BadInput(PlaceOf("subgraph", subgraph, ViewOf(graph.name()),
                            context.file.data(), &graph),
                    std::string(side) + " " + std::to_string(i) +
                        " is tensor " + std::to_string(tensor) +
                        ", but there are " +
                        std::to_string(SizeOf(graph.tensors())) + " tensors",
                    "convert the model again");
  }
  return {};
}

Status CheckSubgraph(CheckContext& context, size_t index) {
  const schema::SubGraph& graph =
      *context.model.subgraphs()->Get(static_cast<uint32_t>(index));
  if (!context.budget.TakeElements(graph.inputs()) ||
      !context.budget.TakeElements(graph.outputs()) ||
      !context.budget.Take(static_cast<Bytes>(SizeOf(graph.name())) + 256)) {
    return TooCostly(
        PlaceOf("subgraph", index, "", context.file.data(), &graph));
  }
  for (size_t i = 0; i < SizeOf(graph.tensors()); ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckTensor(context, index, i));
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckBoundary(context, index, "input", graph.inputs()));
  STOWPLAN_RETURN_IF_ERROR(
      CheckBoundary(context, index, "output", graph.outputs()));
  return CheckOperators(context, index);
}

}  // namespace

tl::unexpected<Error> TooCostly(std::string where) {
  return BadInput(std::move(where),
                  "the file repeats the same parts so often that its graph "
                  "would take many times the file's size",
                  "the file is damaged or made to exhaust memory");
}

Status CheckTables(CheckContext& context) {
  const schema::Model& model = context.model;
  if (model.version() != kVersion) {
    return BadInput("model",
                    "the format's version is " +
                        std::to_string(model.version()) + ", not 3",
                    "convert the model with a converter of today");
  }
  for (size_t i = 0; i < SizeOf(model.operator_codes()); ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckCode(context, i));
  }
  for (size_t i = 0; i < SizeOf(model.buffers()); ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckBuffer(context, i));
  }
  return {};
}

Status CheckModel(CheckContext& context) {
  STOWPLAN_RETURN_IF_ERROR(CheckTables(context));
  if (SizeOf(context.model.subgraphs()) == 0) {
    return BadInput("model", "it has no subgraph, so there is nothing to plan",
                    "convert the model again");
  }
  for (size_t i = 0; i < context.model.subgraphs()->size(); ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckSubgraph(context, i));
  }
  STOWPLAN_RETURN_IF_ERROR(CheckCalls(context));
  return CheckEntryPoints(context);
}

}  // namespace stowplan::tflite
