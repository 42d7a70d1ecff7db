// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "nlohmann/json.hpp"
#include "stowplan/graph/constant_value.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/graph/quantization_scheme.h"

namespace stowplan::graph {
namespace {

using Json = nlohmann::ordered_json;

Json JsonOf(double value) {
  if (std::isnan(value)) return {{"float", "nan"}};
  if (std::isinf(value)) return {{"float", value < 0 ? "-inf" : "inf"}};
  return value;
}

Json JsonOf(const std::vector<double>& values) {
  Json list = Json::array();
  for (double value : values) list.push_back(JsonOf(value));
  return list;
}

Json JsonOf(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, double> ||
                      std::is_same_v<Value, std::vector<double>>) {
          return JsonOf(value);
        } else {
          return value;
        }
      },
      attribute);
}

Json JsonOf(const std::vector<TensorId>& ids) {
  Json list = Json::array();
  for (TensorId id : ids) list.push_back(id.value());
  return list;
}

Json JsonOf(const Quantization& quantization) {
  Json json = {{"scheme", NameOf(quantization.scheme)},
               {"scales", Json::array()},
               {"zero_points", quantization.zero_points}};
  for (float scale : quantization.scales) {
    json["scales"].push_back(JsonOf(static_cast<double>(scale)));
  }
  if (quantization.dimension != 0) json["dimension"] = quantization.dimension;
  return json;
}

// By tensor: its kind, where one that is several things is the first of them.
std::vector<std::string_view> KindsOf(const Subgraph& subgraph) {
  std::vector<std::string_view> kinds(subgraph.tensors.size(), "intermediate");
  for (TensorId id : subgraph.outputs) kinds[id.index()] = "output";
  for (TensorId id : subgraph.inputs) kinds[id.index()] = "input";
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (subgraph.tensors[i].variable) kinds[i] = "variable";
    if (subgraph.tensors[i].constant) kinds[i] = "constant";
  }
  return kinds;
}

Json TensorJson(const Tensor& tensor, size_t index, std::string_view kind) {
  Json json = {{"id", index}};
  if (!tensor.name.empty()) json["name"] = tensor.name;
  json["shape"] = tensor.shape ? Json(*tensor.shape) : Json(nullptr);
  json["dtype"] = NameOf(tensor.dtype);
  json["kind"] = kind;
  if (!tensor.signature.empty()) json["signature"] = tensor.signature;
  if (tensor.bytes) json["bytes"] = *tensor.bytes;
  if (tensor.sparse) json["sparse"] = true;
  if (const auto values = IntegersOf(tensor)) json["value"] = *values;
  if (tensor.quantization.scheme != Quantization::Scheme::kNone) {
    json["quantization"] = JsonOf(tensor.quantization);
  }
  return json;
}

std::string InPlaceName(const InPlaceClaim& claim) {
  switch (claim.kind) {
    case InPlaceClaim::Kind::kView:
      return claim.input == 0 ? "view" : "view" + std::to_string(claim.input);
    case InPlaceClaim::Kind::kOverwrite:
      return "in" + std::to_string(claim.input);
    case InPlaceClaim::Kind::kNone:
      break;
  }
  return "none";
}

Json OperatorJson(const Operator& op) {
  Json json = Json::object();
  if (!op.name.empty()) json["name"] = op.name;
  const bool custom = op.kind == OpKind::kCustom;
  json["type"] = custom ? op.type : std::string(TraitsOf(op.kind).name);
  // A custom operator may bear the name of a public one.
  if (custom && OpKindFromName(op.type).value_or(OpKind::kCustom) != op.kind) {
    json["custom"] = true;
  }
  json["inputs"] = JsonOf(op.inputs);
  json["outputs"] = JsonOf(op.outputs);
  if (!op.intermediates.empty()) {
    json["intermediates"] = JsonOf(op.intermediates);
  }
  if (!op.attributes.empty()) {
    Json& attributes = json["attributes"] = Json::object();
    for (const auto& [name, value] : op.attributes) {
      attributes[name] = JsonOf(value);
    }
  }
  if (!op.callees.empty()) {
    Json& calls = json["calls"] = Json::array();
    for (SubgraphId callee : op.callees) calls.push_back(callee.value());
  }
  if (op.in_place) json["inplace"] = InPlaceName(*op.in_place);
  if (op.scratch != 0) json["scratch"] = op.scratch;
  return json;
}

Json BindingsJson(const std::vector<Signature::Binding>& bindings) {
  Json list = Json::array();
  for (const Signature::Binding& binding : bindings) {
    list.push_back(
        {{"name", binding.name}, {"tensor", binding.tensor.value()}});
  }
  return list;
}

Json SignatureJson(const Signature& signature) {
  return {{"key", signature.key},
          {"subgraph", signature.subgraph.value()},
          {"inputs", BindingsJson(signature.inputs)},
          {"outputs", BindingsJson(signature.outputs)}};
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Appends `"key": [one line an element]`.
template <class Count, class Element>
void AppendList(std::string& text, std::string_view key, Count count,
                Element element) {
  text += "\"" + std::string(key) + "\": [";
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "\n" : ",\n") + Dump(element(i));
  }
  text += "]";
}

// The members of a graph, without the braces.
std::string GraphMembers(const Subgraph& subgraph) {
  std::string text;
  if (!subgraph.name.empty()) {
    text += "\"name\": " + Dump(subgraph.name) + ",\n";
  }
  text += "\"inputs\": " + Dump(JsonOf(subgraph.inputs)) + ",\n";
  text += "\"outputs\": " + Dump(JsonOf(subgraph.outputs)) + ",\n";
  const std::vector<std::string_view> kinds = KindsOf(subgraph);
  AppendList(text, "tensors", kinds.size(), [&](size_t i) {
    return TensorJson(subgraph.tensors[i], i, kinds[i]);
  });
  text += ",\n";
  AppendList(text, "ops", subgraph.operators.size(),
             [&](size_t i) { return OperatorJson(subgraph.operators[i]); });
  return text;
}

}  // namespace

std::string WriteGraphJson(const Model& model) {
  std::string text = "{";
  if (model.alignment) {
    text += "\"alignment\": " + std::to_string(*model.alignment) + ",\n";
  }
  if (!model.signatures.empty()) {
    AppendList(text, "signatures", model.signatures.size(),
               [&](size_t i) { return SignatureJson(model.signatures[i]); });
    text += ",\n";
  }
  if (model.subgraphs.size() == 1) {
    return text + GraphMembers(model.subgraphs[0]) + "}\n";
  }
  text += "\"kind\": \"subgraphs\",\n\"subgraphs\": [";
  for (size_t i = 0; i < model.subgraphs.size(); ++i) {
    text += (i == 0 ? "\n{" : ",\n{") + GraphMembers(model.subgraphs[i]) + "}";
  }
  return text + "]}\n";
}

}  // namespace stowplan::graph
