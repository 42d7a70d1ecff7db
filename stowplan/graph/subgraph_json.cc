// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/subgraph_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "stowplan/graph/constant_value.h"
#include "stowplan/graph/quantization_scheme.h"

namespace stowplan::graph {
namespace {

// `id`, where it is given, says the position once more.
Status CheckOwnId(const JsonNode& node, size_t index) {
  const std::optional<JsonNode> member = node.Member("id");
  if (!member) return {};
  STOWPLAN_TRY(id, member->Int());
  if (id == static_cast<int64_t>(index)) return {};
  return member->Bad("is " + std::to_string(id) + " but stands at position " +
                         std::to_string(index),
                     "list in the order of the ids, which count from 0");
}

Result<std::string> ReadName(const JsonNode& node, std::string_view key) {
  const std::optional<JsonNode> member = node.Member(key);
  if (!member) return std::string();
  return member->String();
}

Result<Quantization> ReadQuantization(const JsonNode& node) {
  STOWPLAN_RETURN_IF_ERROR(
      node.ExpectObject({"scheme", "scales", "zero_points", "dimension"}));
  Quantization quantization;
  STOWPLAN_TRY(member, node.Required("scheme"));
  STOWPLAN_TRY(name, member.String());
  const auto scheme = QuantizationSchemeFromName(name);
  if (!scheme) {
    return member.Bad("\"" + name + "\" is no scheme",
                      "use none, per_tensor, per_channel or blockwise");
  }
  quantization.scheme = *scheme;
  if (auto scales = node.Member("scales")) {
    STOWPLAN_TRY(values, scales->Floats());
    for (double value : values) {
      quantization.scales.push_back(static_cast<float>(value));
    }
  }
  if (auto zero_points = node.Member("zero_points")) {
    STOWPLAN_TRY(values, zero_points->Ints());
    quantization.zero_points = std::move(values);
  }
  if (auto dimension = node.Member("dimension")) {
    STOWPLAN_TRY(value, ReadId<Id<Quantization>>(*dimension));
    quantization.dimension = value.value();
  }
  return quantization;
}

Status ReadShape(const JsonNode& node, Tensor* tensor) {
  if (auto shape = node.Member("shape"); shape && !shape->IsNull()) {
    STOWPLAN_TRY(dims, shape->Ints());
    tensor->shape = std::move(dims);
  }
  if (auto signature = node.Member("signature")) {
    STOWPLAN_TRY(dims, signature->Ints());
    tensor->signature = std::move(dims);
  }
  return {};
}

Status ReadType(const JsonNode& node, Tensor* tensor) {
  if (auto bytes = node.Member("bytes")) {
    STOWPLAN_TRY(value, bytes->Int());
    tensor->bytes = value;
  }
  const std::optional<JsonNode> member = node.Member("dtype");
  if (!member) {
    if (tensor->bytes) return {};
    return node.Bad("has neither \"dtype\" nor \"bytes\"", "add one of them");
  }
  STOWPLAN_TRY(name, member->String());
  const std::optional<DType> dtype = DTypeFromName(name);
  if (!dtype) {
    return member->Bad("\"" + name + "\" is no element type",
                       "use float32, int8, int4, ... or f32, i8, i4, ...");
  }
  tensor->dtype = *dtype;
  return {};
}

// REQUIRES: shape, type and kind of the tensor are read.
Status ReadValue(const JsonNode& node, JsonConstants* storage, Tensor* tensor) {
  const std::optional<JsonNode> member = node.Member("value");
  if (!member) return {};
  STOWPLAN_TRY(values, member->Ints());
  if (!tensor->constant) {
    return member->Bad("belongs to a tensor that is not constant",
                       "add \"kind\": \"constant\" to the tensor");
  }
  auto bytes = BytesOfIntegers(tensor->dtype, values);
  if (!bytes) {
    return member->Bad(
        "does not fit the type " + std::string(NameOf(tensor->dtype)),
        "give numbers of an integer type, in its range");
  }
  tensor->data = storage->emplace_back(*std::move(bytes));
  if (!IntegersOf(*tensor)) {
    return member->Bad("has " + std::to_string(values.size()) +
                           " numbers, which are not as many as the shape has",
                       "give one number for each element, at most " +
                           std::to_string(kMaxValueElements));
  }
  return {};
}

Result<Tensor> ReadTensor(const JsonNode& node, JsonConstants* storage) {
  STOWPLAN_RETURN_IF_ERROR(
      node.ExpectObject({"id", "name", "shape", "dtype", "kind", "signature",
                         "bytes", "sparse", "value", "quantization"}));
  Tensor tensor;
  STOWPLAN_TRY(name, ReadName(node, "name"));
  tensor.name = std::move(name);
  STOWPLAN_RETURN_IF_ERROR(ReadShape(node, &tensor));
  STOWPLAN_RETURN_IF_ERROR(ReadType(node, &tensor));
  Result<std::string> kind = ReadName(node, "kind");
  if (!kind) return TakeError(kind);
  tensor.constant = *kind == "constant";
  tensor.variable = *kind == "variable";
  if (auto sparse = node.Member("sparse")) {
    STOWPLAN_TRY(value, sparse->Bool());
    tensor.sparse = value;
  }
  STOWPLAN_RETURN_IF_ERROR(ReadValue(node, storage, &tensor));
  if (auto quantization = node.Member("quantization")) {
    STOWPLAN_TRY(value, ReadQuantization(*quantization));
    tensor.quantization = std::move(value);
  }
  return tensor;
}

Result<Attribute> ReadAttribute(const JsonNode& node) {
  if (auto value = node.Bool()) return *value;
  if (auto value = node.Int()) return *value;
  if (auto value = node.Float()) return *value;
  if (auto value = node.String()) return *std::move(value);
  if (auto values = node.Ints()) return *std::move(values);
  if (auto values = node.Floats()) return *std::move(values);
  return node.Bad("is no option",
                  "use a bool, a number, a string or a list of numbers");
}

Result<InPlaceClaim> ReadInPlace(const JsonNode& node) {
  STOWPLAN_TRY(text, node.String());
  if (text == "none") return InPlaceClaim{};
  InPlaceClaim claim;
  std::string_view position = text;
  if (position.substr(0, 4) == "view") {
    claim.kind = InPlaceClaim::Kind::kView;
    position.remove_prefix(4);
    if (position.empty()) return claim;
  } else if (position.substr(0, 2) == "in") {
    claim.kind = InPlaceClaim::Kind::kOverwrite;
    position.remove_prefix(2);
  }
  if (claim.kind == InPlaceClaim::Kind::kNone || position.empty() ||
      position.size() > 6 ||
      position.find_first_not_of("0123456789") != std::string_view::npos) {
    return node.Bad("\"" + text + "\" is no way to share bytes",
                    "use view, in0, in1, ... or none");
  }
  for (char digit : position) {
    claim.input = claim.input * 10 + static_cast<size_t>(digit - '0');
  }
  return claim;
}

Status ReadOperatorType(const JsonNode& node, Operator* op) {
  std::optional<JsonNode> member = node.Member("type");
  if (!member) member = node.Member("kind");
  if (!member) return node.Bad("has no \"type\"", "add it");
  STOWPLAN_TRY(type, member->String());
  op->kind = OpKindFromName(type).value_or(OpKind::kCustom);
  op->type = std::move(type);
  if (auto custom = node.Member("custom")) {
    STOWPLAN_TRY(value, custom->Bool());
    if (value) op->kind = OpKind::kCustom;
  }
  return {};
}

Status ReadOperatorIds(const JsonNode& node, Operator* op) {
  using Field = std::pair<std::string_view, std::vector<TensorId>*>;
  for (const auto& [key, ids] :
       {Field{"inputs", &op->inputs}, Field{"outputs", &op->outputs},
        Field{"intermediates", &op->intermediates}}) {
    if (auto member = node.Member(key)) {
      STOWPLAN_TRY(read, ReadIds<TensorId>(*member));
      *ids = std::move(read);
    }
  }
  if (auto calls = node.Member("calls")) {
    STOWPLAN_TRY(read, ReadIds<SubgraphId>(*calls));
    op->callees = std::move(read);
  }
  return {};
}

Result<Operator> ReadOperator(const JsonNode& node) {
  STOWPLAN_RETURN_IF_ERROR(node.ExpectObject(
      {"id", "name", "type", "kind", "custom", "inputs", "outputs",
       "intermediates", "attributes", "calls", "inplace", "scratch"}));
  Operator op;
  STOWPLAN_TRY(name, ReadName(node, "name"));
  op.name = std::move(name);
  STOWPLAN_RETURN_IF_ERROR(ReadOperatorType(node, &op));
  STOWPLAN_RETURN_IF_ERROR(ReadOperatorIds(node, &op));
  if (auto attributes = node.Member("attributes")) {
    if (!attributes->IsObject()) {
      return attributes->Bad("is no object", "write {...}");
    }
    for (const auto& [key, value] : attributes->Members()) {
      STOWPLAN_TRY(attribute, ReadAttribute(value));
      op.attributes.Set(key, std::move(attribute));
    }
  }
  if (auto in_place = node.Member("inplace"); in_place && !in_place->IsNull()) {
    STOWPLAN_TRY(claim, ReadInPlace(*in_place));
    op.in_place = claim;
  }
  if (auto scratch = node.Member("scratch")) {
    STOWPLAN_TRY(value, scratch->Int());
    op.scratch = value;
  }
  return op;
}

// Inputs and outputs: the graph's own list where it has one, else the tensors
// of that kind in the order of their ids.
Status ReadPorts(const JsonNode& graph, const std::string& kind,
                 const std::vector<std::string>& kinds,
                 std::vector<TensorId>* ports) {
  const std::optional<JsonNode> list = graph.Member(kind + "s");
  if (list) {
    STOWPLAN_TRY(ids, ReadIds<TensorId>(*list));
    *ports = std::move(ids);
  }
  std::vector<bool> listed(kinds.size(), false);
  for (TensorId id : *ports) {
    if (id.valid() && id.index() < listed.size()) listed[id.index()] = true;
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != kind || listed[i]) continue;
    if (list) {
      return BadInput(
          graph.Member("tensors")->At(i).path() + ".kind",
          "is " + kind + " but \"" + kind + "s\" does not list the tensor",
          "add its id there");
    }
    ports->push_back(TensorId::FromIndex(i));
  }
  return {};
}

constexpr std::array<std::string_view, 6> kKinds = {
    "", "input", "output", "intermediate", "constant", "variable"};

}  // namespace

Result<Subgraph> ReadSubgraphJson(const JsonNode& node,
                                  JsonConstants* storage) {
  Subgraph subgraph;
  STOWPLAN_TRY(name, ReadName(node, "name"));
  subgraph.name = std::move(name);
  STOWPLAN_TRY(tensors, node.Required("tensors"));
  STOWPLAN_RETURN_IF_ERROR(tensors.ExpectArray());
  std::vector<std::string> kinds;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const JsonNode at = tensors.At(i);
    STOWPLAN_TRY(tensor, ReadTensor(at, storage));
    STOWPLAN_RETURN_IF_ERROR(CheckOwnId(at, i));
    subgraph.tensors.push_back(std::move(tensor));
    STOWPLAN_TRY(kind, ReadName(at, "kind"));
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
      return at.Member("kind")->Bad(
          "\"" + kind + "\" is no kind",
          "use input, output, intermediate, constant or variable");
    }
    kinds.push_back(std::move(kind));
  }
  STOWPLAN_TRY(ops, node.Required("ops"));
  STOWPLAN_RETURN_IF_ERROR(ops.ExpectArray());
  for (size_t i = 0; i < ops.size(); ++i) {
    const JsonNode at = ops.At(i);
    STOWPLAN_TRY(op, ReadOperator(at));
    STOWPLAN_RETURN_IF_ERROR(CheckOwnId(at, i));
    subgraph.operators.push_back(std::move(op));
  }
  STOWPLAN_RETURN_IF_ERROR(ReadPorts(node, "input", kinds, &subgraph.inputs));
  STOWPLAN_RETURN_IF_ERROR(ReadPorts(node, "output", kinds, &subgraph.outputs));
  return subgraph;
}

}  // namespace stowplan::graph
