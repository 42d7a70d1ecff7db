// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "stowplan/report/inspection.h"
#include "stowplan/report/names.h"
#include "stowplan/report/shape_text.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

using Json = nlohmann::ordered_json;

Json ShapeJson(const std::optional<graph::Shape>& shape) {
  return shape ? Json(*shape) : Json(nullptr);
}

Json EndsJson(const std::vector<EndRow>& ends) {
  Json rows = Json::array();
  for (const EndRow& end : ends) {
    rows.push_back({{"tensor", end.tensor},
                    {"name", end.name},
                    {"dtype", end.dtype},
                    {"shape", ShapeJson(end.shape)},
                    {"shape_signature", end.signature},
                    {"quantization", end.quantization}});
  }
  return rows;
}

Json CountsJson(const std::vector<CountRow>& counts, const char* key,
                bool bytes) {
  Json rows = Json::array();
  for (const CountRow& row : counts) {
    Json entry = {{key, row.what}, {"count", row.count}};
    if (bytes) entry["bytes"] = row.bytes;
    rows.push_back(std::move(entry));
  }
  return rows;
}

std::string EndsText(const char* title, const std::vector<EndRow>& ends) {
  std::string text;
  for (const EndRow& end : ends) {
    text += fmt::format("  {:<9}{} {} {}", title, ToPrintable(end.name),
                        end.dtype, ShapeText(end.shape));
    if (!end.signature.empty() && end.signature != end.shape) {
      text += fmt::format(", declared {}", ShapeText(end.signature));
    }
    if (!end.quantization.empty()) text += ", " + end.quantization;
    text += '\n';
  }
  return text;
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : ", ") + ToPrintable(part);
  }
  return text;
}

std::string CountsText(const char* title, const std::vector<CountRow>& counts,
                       bool bytes) {
  std::string text;
  for (const CountRow& row : counts) {
    text += fmt::format("  {:<28}{:>8}", ToPrintable(row.what), row.count);
    if (bytes) text += fmt::format("  {}", BothBytes(row.bytes));
    text += '\n';
  }
  return text.empty() ? text : std::string(title) + '\n' + text;
}

std::string SubgraphText(const SubgraphFacts& facts, size_t index) {
  std::string text = fmt::format(
      "Subgraph {}{}: {}, {}{}\n", index,
      facts.name.empty() ? "" : " (" + ToPrintable(facts.name) + ")",
      Count(facts.operators, "operator"), Count(facts.tensors, "tensor"),
      facts.reached ? "" : "; the entry does not reach it");
  text += EndsText("input", facts.inputs);
  text += EndsText("output", facts.outputs);
  return text;
}

}  // namespace

std::string ToText(const Inspection& inspection) {
  std::string text = fmt::format("{}: {}\n", ToPrintable(inspection.path),
                                 BothBytes(inspection.file_bytes));
  if (!inspection.description.empty()) {
    text += "  made by  " + ToPrintable(inspection.description) + '\n';
  }
  if (!inspection.metadata.empty()) {
    text += "  metadata " + Join(inspection.metadata) + '\n';
  }
  if (inspection.external_buffers > 0) {
    text += fmt::format("  {} outside the FlatBuffer\n",
                        Count(inspection.external_buffers, "buffer"));
  }
  for (size_t i = 0; i < inspection.subgraphs.size(); ++i) {
    text += SubgraphText(inspection.subgraphs[i], i);
  }
  for (const SignatureFacts& signature : inspection.signatures) {
    text += fmt::format("Signature {}: subgraph {}, inputs {}; outputs {}\n",
                        ToPrintable(signature.key), signature.subgraph,
                        Join(signature.inputs), Join(signature.outputs));
  }
  text += CountsText("Operators", inspection.operators, false);
  if (!inspection.unknown_operators.empty()) {
    text +=
        "  outside the public format: " + Join(inspection.unknown_operators) +
        '\n';
  }
  text += CountsText("Tensors by kind", inspection.kinds, true);
  text += CountsText("Tensors by type", inspection.dtypes, true);
  text += CountsText("Quantised tensors", inspection.quantization, true);
  if (inspection.variables > 0) {
    text += fmt::format("Variables: {}\n", inspection.variables);
  }
  if (inspection.sparse > 0) {
    text += fmt::format("Sparse constants: {}\n", inspection.sparse);
  }
  for (const DynamicRow& row : inspection.dynamic) {
    text += fmt::format("Dynamic: subgraph {} tensor {} ({}): {}\n",
                        row.subgraph, row.tensor, ToPrintable(row.name),
                        ToPrintable(row.because));
  }
  return text;
}

std::string ToJson(const Inspection& inspection) {
  Json subgraphs = Json::array();
  for (const SubgraphFacts& facts : inspection.subgraphs) {
    subgraphs.push_back({{"name", facts.name},
                         {"tensors", facts.tensors},
                         {"operators", facts.operators},
                         {"reached", facts.reached},
                         {"inputs", EndsJson(facts.inputs)},
                         {"outputs", EndsJson(facts.outputs)}});
  }
  Json signatures = Json::array();
  for (const SignatureFacts& facts : inspection.signatures) {
    signatures.push_back({{"key", facts.key},
                          {"subgraph", facts.subgraph},
                          {"inputs", facts.inputs},
                          {"outputs", facts.outputs}});
  }
  Json dynamic = Json::array();
  for (const DynamicRow& row : inspection.dynamic) {
    dynamic.push_back({{"subgraph", row.subgraph},
                       {"tensor", row.tensor},
                       {"name", row.name},
                       {"because", row.because}});
  }
  const Json document = {
      {"schema", "stowplan.inspect/1"},
      {"model",
       {{"path", ToUtf8(inspection.path)},
        {"bytes", inspection.file_bytes},
        {"description", inspection.description},
        {"metadata", inspection.metadata},
        {"external_buffers", inspection.external_buffers}}},
      {"subgraphs", std::move(subgraphs)},
      {"signatures", std::move(signatures)},
      {"operators", CountsJson(inspection.operators, "op", false)},
      {"unknown_operators", inspection.unknown_operators},
      {"kinds", CountsJson(inspection.kinds, "kind", true)},
      {"dtypes", CountsJson(inspection.dtypes, "dtype", true)},
      {"quantization", CountsJson(inspection.quantization, "scheme", true)},
      {"variables", inspection.variables},
      {"sparse", inspection.sparse},
      {"dynamic", std::move(dynamic)}};
  return document.dump(2) + "\n";
}

}  // namespace stowplan::report
