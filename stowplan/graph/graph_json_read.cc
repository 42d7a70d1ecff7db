// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "stowplan/graph/check.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/graph/json_node.h"
#include "stowplan/graph/subgraph_json.h"

namespace stowplan::graph {
namespace {

Result<std::string> NameIn(const JsonNode& node, std::string_view key) {
  const std::optional<JsonNode> member = node.Member(key);
  if (!member) return std::string();
  return member->String();
}

class ModelReader {
 public:
  Result<Model> Read(JsonNode root) {
    if (auto graph = root.Member("graph")) root = *graph;
    if (!root.IsObject()) return root.Bad("is no object", "write {...}");
    root_path_ = root.path();
    STOWPLAN_RETURN_IF_ERROR(ReadSubgraphs(root));
    if (auto alignment = root.Member("alignment")) {
      STOWPLAN_TRY(value, alignment->Int());
      model_.alignment = value;
    }
    STOWPLAN_RETURN_IF_ERROR(ReadCalls(root));
    STOWPLAN_RETURN_IF_ERROR(ReadSignatures(root));
    if (auto fault = FindFault(model_)) {
      return BadInput(PathOf(*fault), std::move(fault->what),
                      std::move(fault->remedy));
    }
    model_.storage = std::move(storage_);
    return std::move(model_);
  }

 private:
  Status ReadSubgraphs(const JsonNode& root) {
    if (auto kind = root.Member("kind")) {
      STOWPLAN_TRY(name, kind->String());
      if (name != "subgraphs") {
        return kind->Bad("\"" + name + "\" describes no graph",
                         "give \"tensors\" and \"ops\", or \"subgraphs\"");
      }
    } else {
      return Append(root);
    }
    if (auto main = root.Member("main")) {
      names_.push_back("main");
      STOWPLAN_RETURN_IF_ERROR(Append(*main));
    }
    STOWPLAN_TRY(subgraphs, root.Required("subgraphs"));
    if (subgraphs.IsArray()) {
      for (size_t i = 0; i < subgraphs.size(); ++i) {
        names_.emplace_back();
        STOWPLAN_RETURN_IF_ERROR(Append(subgraphs.At(i)));
      }
      return {};
    }
    if (!subgraphs.IsObject())
      return subgraphs.Bad("is no list", "write [...]");
    for (const auto& [name, node] : subgraphs.Members()) {
      names_.push_back(name);
      STOWPLAN_RETURN_IF_ERROR(Append(node));
      Subgraph& subgraph = model_.subgraphs.back();
      if (subgraph.name.empty()) subgraph.name = name;
    }
    return {};
  }

  Status Append(const JsonNode& node) {
    if (!node.IsObject()) return node.Bad("is no object", "write {...}");
    STOWPLAN_TRY(subgraph, ReadSubgraphJson(node, storage_.get()));
    model_.subgraphs.push_back(std::move(subgraph));
    paths_.push_back(node.path());
    return {};
  }

  // `calls` beside the subgraphs: the operator's name -> subgraphs' names.
  Status ReadCalls(const JsonNode& root) {
    const std::optional<JsonNode> calls = root.Member("calls");
    if (!calls) return {};
    if (!calls->IsObject()) return calls->Bad("is no object", "write {...}");
    std::map<std::string, std::vector<std::pair<size_t, size_t>>> by_name;
    for (size_t g = 0; g < model_.subgraphs.size(); ++g) {
      const std::vector<Operator>& ops = model_.subgraphs[g].operators;
      for (size_t i = 0; i < ops.size(); ++i) {
        by_name[ops[i].name].emplace_back(g, i);
      }
    }
    for (const auto& [name, list] : calls->Members()) {
      const auto& callers = by_name[name];
      if (callers.size() != 1) {
        return list.Bad(
            std::to_string(callers.size()) + " operators have that name",
            "name one operator");
      }
      const auto [g, i] = callers.front();
      call_paths_[{g, i}] = list.path();
      STOWPLAN_TRY(callees, ReadCallees(list));
      model_.subgraphs[g].operators[i].callees = std::move(callees);
    }
    return {};
  }

  Result<std::vector<SubgraphId>> ReadCallees(const JsonNode& list) const {
    STOWPLAN_RETURN_IF_ERROR(list.ExpectArray());
    std::vector<SubgraphId> callees;
    for (size_t i = 0; i < list.size(); ++i) {
      const JsonNode at = list.At(i);
      STOWPLAN_TRY(name, at.String());
      const auto found = std::find(names_.begin(), names_.end(), name);
      if (found == names_.end() || name.empty()) {
        return at.Bad("\"" + name + "\" names no subgraph",
                      "use a key of \"subgraphs\"");
      }
      callees.push_back(
          SubgraphId(static_cast<int32_t>(found - names_.begin())));
    }
    return callees;
  }

  static Result<std::vector<Signature::Binding>> ReadBindings(
      const JsonNode& signature, std::string_view key) {
    std::vector<Signature::Binding> bindings;
    const std::optional<JsonNode> list = signature.Member(key);
    if (!list) return bindings;
    STOWPLAN_RETURN_IF_ERROR(list->ExpectArray());
    for (size_t i = 0; i < list->size(); ++i) {
      const JsonNode at = list->At(i);
      STOWPLAN_RETURN_IF_ERROR(at.ExpectObject({"name", "tensor"}));
      STOWPLAN_TRY(name, NameIn(at, "name"));
      STOWPLAN_TRY(member, at.Required("tensor"));
      STOWPLAN_TRY(tensor, ReadId<TensorId>(member));
      bindings.push_back({std::move(name), tensor});
    }
    return bindings;
  }

  Status ReadSignatures(const JsonNode& root) {
    const std::optional<JsonNode> list = root.Member("signatures");
    if (!list) return {};
    STOWPLAN_RETURN_IF_ERROR(list->ExpectArray());
    for (size_t i = 0; i < list->size(); ++i) {
      const JsonNode at = list->At(i);
      STOWPLAN_RETURN_IF_ERROR(
          at.ExpectObject({"key", "subgraph", "inputs", "outputs"}));
      Signature signature;
      STOWPLAN_TRY(key, NameIn(at, "key"));
      signature.key = std::move(key);
      STOWPLAN_TRY(member, at.Required("subgraph"));
      STOWPLAN_TRY(subgraph, ReadId<SubgraphId>(member));
      signature.subgraph = subgraph;
      STOWPLAN_TRY(inputs, ReadBindings(at, "inputs"));
      signature.inputs = std::move(inputs);
      STOWPLAN_TRY(outputs, ReadBindings(at, "outputs"));
      signature.outputs = std::move(outputs);
      model_.signatures.push_back(std::move(signature));
    }
    return {};
  }

  std::string PathOf(const ModelFault& fault) const {
    std::string path = fault.subgraph < 0
                           ? root_path_
                           : paths_[static_cast<size_t>(fault.subgraph)];
    const auto append = [&path](const std::string& part, int64_t position) {
      if (!path.empty() && !part.empty()) path += ".";
      path += part;
      if (position >= 0) path += "[" + std::to_string(position) + "]";
    };
    if (fault.field == "calls") {
      const auto found = call_paths_.find({static_cast<size_t>(fault.subgraph),
                                           static_cast<size_t>(fault.index)});
      if (found != call_paths_.end()) {
        path = found->second;
        append("", fault.position);
        return path;
      }
    }
    append(fault.list, fault.index);
    append(fault.field, fault.position);
    return path;
  }

  Model model_;
  std::shared_ptr<JsonConstants> storage_ = std::make_shared<JsonConstants>();
  std::string root_path_;
  std::vector<std::string> paths_;  // By subgraph.
  std::vector<std::string> names_;  // By subgraph: its key in the document.
  std::map<std::pair<size_t, size_t>, std::string> call_paths_;
};

}  // namespace

Result<Model> ReadGraphJson(std::string_view text) {
  STOWPLAN_TRY(document, ParseJson(text));
  return ModelReader().Read(JsonNode(document.get()));
}

}  // namespace stowplan::graph
