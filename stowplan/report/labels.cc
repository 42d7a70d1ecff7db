// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/labels.h"

#include "stowplan/report/names.h"

namespace stowplan::report {

OperatorLabel LabelOf(const graph::Model& model, graph::OperatorRef ref) {
  OperatorLabel label;
  label.subgraph = ref.subgraph.value();
  if (!ref.op.valid()) return label;
  const graph::Operator& op =
      model.subgraph(ref.subgraph).operators[ref.op.index()];
  label.index = ref.op.value();
  label.type = ToUtf8(op.type.empty() ? graph::TraitsOf(op.kind).name
                                      : std::string_view(op.type));
  label.name = ToUtf8(op.name);
  return label;
}

std::string NameOfTensor(const graph::Model& model, graph::TensorRef ref) {
  return ToUtf8(model.subgraph(ref.subgraph).tensor(ref.tensor).name);
}

std::vector<DynamicRow> DynamicRows(const graph::Model& model,
                                    const schedule::Kinds& kinds) {
  std::vector<DynamicRow> rows;
  for (const schedule::Dynamic& entry : kinds.dynamic) {
    std::string because = ToUtf8(entry.reason);
    if (entry.because.subgraph.valid() && entry.because.op.valid()) {
      because = Describe(LabelOf(model, entry.because)) + ": " + because;
    }
    rows.push_back({entry.tensor.subgraph.value(), entry.tensor.tensor.value(),
                    NameOfTensor(model, entry.tensor), because});
  }
  return rows;
}

}  // namespace stowplan::report
