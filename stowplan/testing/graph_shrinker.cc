// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/graph_shrinker.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "stowplan/graph/check.h"

namespace stowplan::testing {
namespace {

using graph::Model;
using graph::Operator;
using graph::OpKind;
using graph::Subgraph;
using graph::SubgraphId;
using graph::Tensor;
using graph::TensorId;

// Drops operators [begin, end) of a subgraph.
void DropOperators(Model& model, size_t g, size_t begin, size_t end) {
  Subgraph& subgraph = model.subgraphs[g];
  for (size_t i = begin; i < end; ++i) {
    for (TensorId id : subgraph.operators[i].outputs) {
      if (g == 0) {
        subgraph.inputs.push_back(id);
      } else {
        subgraph.tensor(id).constant = !subgraph.tensor(id).variable;
      }
    }
  }
  const auto at = [&](size_t i) {
    return subgraph.operators.begin() + static_cast<std::ptrdiff_t>(i);
  };
  subgraph.operators.erase(at(begin), at(end));
}

// By tensor: whether anything names it, but for inputs of the first subgraph.
std::vector<bool> UsedTensors(const Model& model, size_t g) {
  const Subgraph& subgraph = model.subgraphs[g];
  std::vector<bool> used(subgraph.tensors.size(), false);
  const auto mark = [&](const std::vector<TensorId>& ids) {
    for (TensorId id : ids) {
      if (id.valid()) used[id.index()] = true;
    }
  };
  if (g != 0) mark(subgraph.inputs);
  mark(subgraph.outputs);
  for (const Operator& op : subgraph.operators) {
    mark(op.inputs);
    mark(op.outputs);
    mark(op.intermediates);
  }
  return used;
}

void DropTensors(Model& model, size_t g) {
  const std::vector<bool> used = UsedTensors(model, g);
  Subgraph& subgraph = model.subgraphs[g];
  std::vector<TensorId> renamed(used.size());
  std::vector<Tensor> kept;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    renamed[i] = TensorId::FromIndex(kept.size());
    kept.push_back(std::move(subgraph.tensors[i]));
  }
  subgraph.tensors = std::move(kept);
  std::erase_if(subgraph.inputs,
                [&](TensorId id) { return !used[id.index()]; });
  const auto rename = [&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) {
      if (id.valid()) id = renamed[id.index()];
    }
  };
  rename(subgraph.inputs);
  rename(subgraph.outputs);
  for (Operator& op : subgraph.operators) {
    rename(op.inputs);
    rename(op.outputs);
    rename(op.intermediates);
  }
}

void DropSubgraphs(Model& model) {
  std::vector<bool> used(model.subgraphs.size(), false);
  std::vector<size_t> open = {0};
  used[0] = true;
  while (!open.empty()) {
    const size_t g = open.back();
    open.pop_back();
    for (const Operator& op : model.subgraphs[g].operators) {
      for (SubgraphId callee : op.callees) {
        if (used[callee.index()]) continue;
        used[callee.index()] = true;
        open.push_back(callee.index());
      }
    }
  }
  std::vector<SubgraphId> renamed(used.size());
  std::vector<Subgraph> kept;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    renamed[i] = SubgraphId::FromIndex(kept.size());
    kept.push_back(std::move(model.subgraphs[i]));
  }
  model.subgraphs = std::move(kept);
  for (Subgraph& subgraph : model.subgraphs) {
    for (Operator& op : subgraph.operators) {
      for (SubgraphId& callee : op.callees) callee = renamed[callee.index()];
    }
  }
}

class Shrinker {
 public:
  Shrinker(Model model, const std::function<bool(const Model&)>& fails)
      : model_(std::move(model)), fails_(fails) {}

  Model Shrink() {
    TryTo([](Model& model) { model.signatures.clear(); });
    bool smaller = true;
    while (smaller) {
      smaller = ShrinkCalls();
      for (size_t g = 0; g < model_.subgraphs.size(); ++g) {
        smaller = ShrinkOperators(g) || smaller;
        smaller = ShrinkOutputs(g) || smaller;
        smaller = ShrinkDetails(g) || smaller;
        smaller = ShrinkTensors(g) || smaller;
      }
    }
    return std::move(model_);
  }

 private:
  // Keeps what `change` makes of the model if that still fails.
  template <class Change>
  bool TryTo(Change change) {
    Model candidate = model_;
    change(candidate);
    if (graph::FindFault(candidate) || !fails_(candidate)) return false;
    model_ = std::move(candidate);
    return true;
  }

  bool ShrinkOperators(size_t g) {
    bool smaller = false;
    const auto count = [&] { return model_.subgraphs[g].operators.size(); };
    for (size_t size = count(); size > 0; size /= 2) {
      for (size_t begin = 0; begin < count();) {
        const size_t end = std::min(begin + size, count());
        const bool dropped =
            TryTo([&](Model& model) { DropOperators(model, g, begin, end); });
        if (!dropped) begin = end;
        smaller = smaller || dropped;
      }
    }
    return smaller;
  }

  // A callee's outputs belong to its callers.
  bool ShrinkOutputs(size_t g) {
    bool smaller = false;
    if (g != 0) return smaller;
    for (size_t i = model_.subgraphs[0].outputs.size(); i-- > 0;) {
      smaller =
          TryTo([&](Model& model) {
            std::vector<TensorId>& outputs = model.subgraphs[0].outputs;
            outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(i));
          }) ||
          smaller;
    }
    return smaller;
  }

  // Operators that call become ones that do not.
  bool ShrinkCalls() {
    bool smaller = false;
    for (size_t g = 0; g < model_.subgraphs.size(); ++g) {
      for (size_t i = 0; i < model_.subgraphs[g].operators.size(); ++i) {
        if (model_.subgraphs[g].operators[i].callees.empty()) continue;
        smaller = TryTo([&](Model& model) {
                    Operator& op = model.subgraphs[g].operators[i];
                    op.callees.clear();
                    op.kind = OpKind::kCustom;
                  }) ||
                  smaller;
      }
    }
    Model kept = model_;
    DropSubgraphs(kept);
    if (kept.subgraphs.size() == model_.subgraphs.size()) return smaller;
    return TryTo(DropSubgraphs) || smaller;
  }

  bool ShrinkDetails(size_t g) {
    bool smaller = false;
    for (size_t i = 0; i < model_.subgraphs[g].operators.size(); ++i) {
      if (model_.subgraphs[g].operators[i].scratch != 0) {
        smaller = TryTo([&](Model& model) {
                    model.subgraphs[g].operators[i].scratch = 0;
                  }) ||
                  smaller;
      }
      if (model_.subgraphs[g].operators[i].in_place) {
        smaller = TryTo([&](Model& model) {
                    model.subgraphs[g].operators[i].in_place = std::nullopt;
                  }) ||
                  smaller;
      }
      for (size_t k = 0; k < model_.subgraphs[g].operators[i].inputs.size();
           ++k) {
        if (!model_.subgraphs[g].operators[i].inputs[k].valid()) continue;
        smaller = TryTo([&](Model& model) {
                    model.subgraphs[g].operators[i].inputs[k] = TensorId();
                  }) ||
                  smaller;
      }
    }
    return smaller;
  }

  bool ShrinkTensors(size_t g) {
    bool smaller = false;
    const std::vector<bool> used = UsedTensors(model_, g);
    if (std::find(used.begin(), used.end(), false) != used.end()) {
      smaller = TryTo([&](Model& model) { DropTensors(model, g); });
    }
    for (size_t i = 0; i < model_.subgraphs[g].tensors.size(); ++i) {
      bool halved = true;
      while (halved) {
        const std::optional<Bytes> size =
            SizeOf(model_.subgraphs[g].tensors[i]);
        if (!size || *size <= 1) break;
        halved = TryTo([&](Model& model) {
          Tensor& tensor = model.subgraphs[g].tensors[i];
          tensor.shape = graph::Shape{*size / 2};
          tensor.dtype = DType::kInt8;
          tensor.signature.clear();
          tensor.bytes = std::nullopt;
          tensor.data = {};
        });
        smaller = smaller || halved;
      }
    }
    return smaller;
  }

  Model model_;
  const std::function<bool(const Model&)>& fails_;
};

}  // namespace

graph::Model ShrinkGraph(
    graph::Model model, const std::function<bool(const graph::Model&)>& fails) {
  return Shrinker(std::move(model), fails).Shrink();
}

}  // namespace stowplan::testing
