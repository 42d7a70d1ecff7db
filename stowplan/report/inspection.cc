// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/inspection.h"

#include <algorithm>
#include <map>
#include <set>

#include "fmt/format.h"
#include "stowplan/base/dtype.h"
#include "stowplan/graph/quantization_scheme.h"
#include "stowplan/report/labels.h"
#include "stowplan/report/names.h"

namespace stowplan::report {
namespace {

using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;

std::string DescribeQuantization(const graph::Quantization& quantization) {
  if (quantization.scheme == graph::Quantization::Scheme::kNone) return "";
  if (quantization.scheme != graph::Quantization::Scheme::kPerTensor) {
    return std::string(NameOf(quantization.scheme));
  }
  const float scale = quantization.scales.empty() ? 0 : quantization.scales[0];
  const int64_t zero =
      quantization.zero_points.empty() ? 0 : quantization.zero_points[0];
  return fmt::format("scale {}, zero point {}", scale, zero);
}

std::vector<EndRow> Ends(const graph::Subgraph& subgraph,
                         const std::vector<TensorId>& ids) {
  std::vector<EndRow> rows;
  for (TensorId id : ids) {
    if (!id.valid()) continue;
    const graph::Tensor& tensor = subgraph.tensor(id);
    rows.push_back({id.value(), ToUtf8(tensor.name),
                    std::string(NameOf(tensor.dtype)), tensor.shape,
                    tensor.signature,
                    DescribeQuantization(tensor.quantization)});
  }
  return rows;
}

// Counts by name, in the order of the names or by count.
class Counter {
 public:
  void Add(std::string what, Bytes bytes) {
    CountRow& row = rows_[what];
    row.what = std::move(what);
    ++row.count;
    row.bytes += bytes;
  }

  std::vector<CountRow> MostFrequentFirst() const {
    std::vector<CountRow> rows;
    for (const auto& [what, row] : rows_) rows.push_back(row);
    std::stable_sort(
        rows.begin(), rows.end(),
        [](const CountRow& a, const CountRow& b) { return a.count > b.count; });
    return rows;
  }

 private:
  std::map<std::string, CountRow> rows_;
};

// What dtype and quantisation of an operator's tensors make of a model.
void CountTensors(const graph::Model& model, const schedule::MemoryNeeds& needs,
                  Inspection* result) {
  Counter kinds, dtypes, schemes;
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    const graph::Subgraph& subgraph = model.subgraphs[s];
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const graph::Tensor& tensor = subgraph.tensors[t];
      const schedule::TensorKind& kind = needs.kinds.of[s][t];
      kinds.Add(std::string(NameOf(kind.kind)), kind.bytes);
      dtypes.Add(std::string(NameOf(tensor.dtype)), kind.bytes);
      if (tensor.quantization.scheme != graph::Quantization::Scheme::kNone) {
        schemes.Add(std::string(NameOf(tensor.quantization.scheme)),
                    kind.bytes);
      }
      if (tensor.variable) ++result->variables;
      if (tensor.sparse) ++result->sparse;
    }
  }
  result->kinds = kinds.MostFrequentFirst();
  result->dtypes = dtypes.MostFrequentFirst();
  result->quantization = schemes.MostFrequentFirst();
  std::set<graph::TensorRef> resources;
  for (const auto& of_subgraph : needs.kinds.variable_of) {
    for (const graph::TensorRef& owner : of_subgraph) {
      if (owner.tensor.valid()) resources.insert(owner);
    }
  }
  result->variables += static_cast<int64_t>(resources.size());
}

void CountOperators(const graph::Model& model, Inspection* result) {
  Counter operators;
  std::set<std::string> unknown;
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    for (const graph::Operator& op : subgraph.operators) {
      operators.Add(ToUtf8(op.type), 0);
      if (op.kind == OpKind::kCustom) unknown.insert(ToUtf8(op.type));
    }
  }
  result->operators = operators.MostFrequentFirst();
  result->unknown_operators.assign(unknown.begin(), unknown.end());
}

}  // namespace

Inspection Inspect(const graph::Model& model,
                   const schedule::MemoryNeeds& needs, const std::string& path,
                   Bytes file_bytes) {
  Inspection result;
  result.path = path;
  result.file_bytes = file_bytes;
  result.description = ToUtf8(model.source.description);
  for (const std::string& name : model.source.metadata) {
    result.metadata.push_back(ToUtf8(name));
  }
  result.external_buffers = model.source.external_buffers;
  std::set<SubgraphId> reached;
  for (SubgraphId id : schedule::ReachedSubgraphs(needs.timeline)) {
    reached.insert(id);
  }
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    const graph::Subgraph& subgraph = model.subgraphs[s];
    result.subgraphs.push_back(
        {ToUtf8(subgraph.name), static_cast<int64_t>(subgraph.tensors.size()),
         static_cast<int64_t>(subgraph.operators.size()),
         reached.contains(SubgraphId::FromIndex(s)),
         Ends(subgraph, subgraph.inputs), Ends(subgraph, subgraph.outputs)});
  }
  for (const graph::Signature& signature : model.signatures) {
    SignatureFacts facts = {
        ToUtf8(signature.key), signature.subgraph.value(), {}, {}};
    for (const auto& end : signature.inputs) {
      facts.inputs.push_back(ToUtf8(end.name));
    }
    for (const auto& end : signature.outputs) {
      facts.outputs.push_back(ToUtf8(end.name));
    }
    result.signatures.push_back(std::move(facts));
  }
  CountOperators(model, &result);
  CountTensors(model, needs, &result);
  result.dynamic = DynamicRows(model, needs.kinds);
  return result;
}

}  // namespace stowplan::report
