// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/infer_shapes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "stowplan/graph/shape_flow.h"

namespace stowplan::graph {
namespace {

// Inputs of entry points by name. An input of the first subgraph hides those
// of the same name elsewhere.
class NamedInputs {
 public:
  explicit NamedInputs(const Model& model) : model_(model) {}

  std::vector<TensorRef> Find(const std::string& name) const {
    std::set<TensorRef> found;
    for (size_t i = 0; i < model_.subgraphs.size(); ++i) {
      for (TensorId id : model_.subgraphs[i].inputs) {
        if (model_.subgraphs[i].tensor(id).name == name) {
          found.insert({SubgraphId::FromIndex(i), id});
        }
      }
    }
    for (const Signature& signature : model_.signatures) {
      for (const Signature::Binding& input : signature.inputs) {
        if (input.name == name) {
          found.insert({signature.subgraph, input.tensor});
        }
      }
    }
    std::vector<TensorRef> inputs(found.begin(), found.end());
    const auto elsewhere = std::find_if(
        inputs.begin(), inputs.end(),
        [](const TensorRef& input) { return input.subgraph != SubgraphId(0); });
    if (elsewhere != inputs.begin()) inputs.erase(elsewhere, inputs.end());
    return inputs;
  }

  std::string List() const {
    std::set<std::string> names;
    for (const Signature& signature : model_.signatures) {
      for (const Signature::Binding& input : signature.inputs) {
        names.insert(input.name);
      }
    }
    if (!model_.subgraphs.empty()) {
      for (TensorId id : model_.subgraphs[0].inputs) {
        names.insert(model_.subgraphs[0].tensor(id).name);
      }
    }
    std::string list;
    for (const std::string& name : names) {
      list += (list.empty() ? "" : ", ") + name;
    }
    return list.empty() ? "there are none" : "the inputs are " + list;
  }

 private:
  const Model& model_;
};

Status Override(const Model& model, const ShapeOverride& override,
                ShapeFlow* flow) {
  const NamedInputs names(model);
  const std::vector<TensorRef> inputs =
      override.tensor ? std::vector<TensorRef>{*override.tensor}
                      : names.Find(override.name);
  const std::string where = "the shape of \"" + override.name + "\"";
  if (inputs.empty()) {
    return UsageError(where, "no input has that name", names.List());
  }
  for (int64_t dim : override.shape) {
    if (dim >= 0) continue;
    return UsageError(where, std::to_string(dim) + " is no dimension",
                      "give all dimensions, as in 1,640,640,3");
  }
  for (const TensorRef& input : inputs) {
    const Tensor& tensor = model.subgraph(input.subgraph).tensor(input.tensor);
    if (tensor.shape && !tensor.shape->empty() &&
        tensor.shape->size() != override.shape.size()) {
      return UsageError(
          where,
          ToString(override.shape) + " has not as many dimensions as " +
              ToString(*tensor.shape),
          "give " + std::to_string(tensor.shape->size()) + " dimensions");
    }
    flow->SetInput(input.subgraph, input.tensor, override.shape);
  }
  return {};
}

// By tensor: whether an operator or the outside uses it.
std::vector<bool> UsedTensors(const Subgraph& subgraph) {
  std::vector<bool> used(subgraph.tensors.size(), false);
  const auto mark = [&](const std::vector<TensorId>& ids) {
    for (TensorId id : ids) {
      if (id.valid()) used[id.index()] = true;
    }
  };
  mark(subgraph.inputs);
  mark(subgraph.outputs);
  for (const Operator& op : subgraph.operators) {
    mark(op.inputs);
    mark(op.outputs);
  }
  return used;
}

// Why the size of a tensor that has its final shape is open; nothing if it is
// not, or if no size means anything.
std::optional<Root> OpenBecause(SubgraphId subgraph, const Tensor& tensor,
                                const TensorState& state) {
  if (SizeOf(tensor) || tensor.constant) return std::nullopt;
  if (tensor.dtype == DType::kResource || tensor.dtype == DType::kVariant) {
    return std::nullopt;
  }
  if (!IsKnown(tensor.shape)) {
    if (state.root != nullptr) return *state.root;
    return Root{{subgraph, OperatorId()}, "nothing says its shape"};
  }
  return Root{{subgraph, OperatorId()},
              "only the data says how long strings "
              "are"};
}

}  // namespace

Result<InferenceReport> InferShapes(Model* model,
                                    const ShapeOverrides& overrides) {
  ShapeFlow flow(*model);
  for (const ShapeOverride& override : overrides) {
    STOWPLAN_RETURN_IF_ERROR(Override(*model, override, &flow));
  }
  STOWPLAN_RETURN_IF_ERROR(flow.Run());
  InferenceReport report;
  for (size_t g = 0; g < model->subgraphs.size(); ++g) {
    const SubgraphId id = SubgraphId::FromIndex(g);
    Subgraph& subgraph = model->subgraphs[g];
    const std::vector<bool> used = UsedTensors(subgraph);
    for (size_t i = 0; i < subgraph.tensors.size(); ++i) {
      Tensor& tensor = subgraph.tensors[i];
      const TensorId tensor_id = TensorId::FromIndex(i);
      const TensorState& state = flow.State(id, tensor_id);
      const bool differs =
          !tensor.constant && tensor.shape != state.facts.shape;
      if (differs || (state.touched && tensor.bytes)) {
        report.former.push_back({{id, tensor_id}, tensor.shape, tensor.bytes});
      }
      if (differs) {
        tensor.shape = state.facts.shape;
        tensor.bytes = std::nullopt;
        ++report.changed;
      }
      // A size given in place of a shape belongs to the inputs as they were.
      if (state.touched && !IsKnown(tensor.shape)) tensor.bytes = std::nullopt;
      if (!used[i]) continue;
      if (const auto root = OpenBecause(id, tensor, state)) {
        report.unknown.push_back({{id, tensor_id}, root->op, root->reason});
      }
    }
  }
  return report;
}

void RestoreShapes(const InferenceReport& report, Model* model) {
  for (const FormerShape& former : report.former) {
    Tensor& tensor =
        model->subgraph(former.tensor.subgraph).tensor(former.tensor.tensor);
    tensor.shape = former.shape;
    tensor.bytes = former.bytes;
  }
}

}  // namespace stowplan::graph
