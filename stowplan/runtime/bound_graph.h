// SPDX-License-Identifier: Apache-2.0
//
// A graph's tensors and operators as kernels see them.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/kernels/registry.h"
#include "stowplan/runtime/file_facts.h"

namespace stowplan::runtime {

struct BoundOperator {
  const kernels::Kernel* kernel = nullptr;  // Null for control flow.
  kernels::Node node;
  Bytes persistent = 0;   // What it needs of it.
  bool prepared = false;  // False: shapes are known only during a run.
};

struct BoundSubgraph {
  std::vector<kernels::Tensor> tensors;    // By TensorId.
  std::vector<BoundOperator> operators;    // By OperatorId.
  std::vector<kernels::Tensor*> operands;  // What the nodes' spans show.
};

// Refers to the model, the registry and the facts, which must outlive it.
class BoundGraph {
 public:
  // Binds the subgraphs in `reached`. Constants have their data; other
  // tensors have none yet. Errors (kBadInput) list all operators that have no
  // kernel, or name what is read and has no value (CheckValues).
  static Result<BoundGraph> Create(
      const graph::Model& model, const FileFacts& facts,
      const kernels::Registry& registry, kernels::Arithmetic arithmetic,
      const std::vector<graph::SubgraphId>& reached);

  BoundSubgraph& subgraph(graph::SubgraphId id) {
    return subgraphs_[id.index()];
  }
  const BoundSubgraph& subgraph(graph::SubgraphId id) const {
    return subgraphs_[id.index()];
  }
  kernels::Tensor& tensor(graph::TensorRef ref) {
    return subgraph(ref.subgraph).tensors[ref.tensor.index()];
  }
  const kernels::Tensor& tensor(graph::TensorRef ref) const {
    return subgraph(ref.subgraph).tensors[ref.tensor.index()];
  }
  BoundOperator& op(graph::OperatorRef ref) {
    return subgraph(ref.subgraph).operators[ref.op.index()];
  }

 private:
  std::deque<BoundSubgraph> subgraphs_;
  // By what operators with the same options share.
  std::map<const void*, std::vector<kernels::Option>> options_;
  std::deque<std::vector<uint64_t>> copies_;  // Of misaligned constants.
};

// Whether the executor itself runs it: calls, resource handles.
bool IsControl(graph::OpKind kind);

// The shape, if all dimensions are known and there are at most kMaxRank.
std::optional<kernels::Shape> ToKernelShape(
    const std::optional<graph::Shape>& shape);

}  // namespace stowplan::runtime
