// SPDX-License-Identifier: Apache-2.0
//
// The rules behind the words in tflm_kernels.def: how many bytes a kernel
// keeps or asks for as scratch, from the operator's operands and options.
#pragma once

#include <optional>
#include <string_view>

#include "stowplan/base/error.h"
#include "stowplan/engines/tflm_kernels.h"

namespace stowplan::engines {

// What a rule sees and where it puts its requests.
class KernelScope {
 public:
  KernelScope(const graph::Subgraph& subgraph, const graph::Operator& op,
              const TflmOptions& options, KernelRequests* requests)
      : subgraph_(subgraph), op_(op), options_(options), requests_(requests) {}

  const graph::Operator& op() const { return op_; }
  Bytes pointer() const { return options_.pointer_bytes; }
  const TflmOptions& options() const { return options_; }

  // The operand; null if it is left out.
  const graph::Tensor* input(size_t position) const {
    return At(op_.inputs, position);
  }
  const graph::Tensor* output(size_t position) const {
    return At(op_.outputs, position);
  }
  // The number of elements of an operand's shape, 1 for none; 0 for null and
  // for what does not fit.
  static int64_t ElementsOf(const graph::Tensor* tensor);
  // Its extent there; 0 if it has no such dimension.
  static int64_t Extent(const graph::Tensor* tensor, size_t dimension);
  static int64_t RankOf(const graph::Tensor* tensor);

  void Temporary(graph::TensorId id) {
    requests_->prepare.push_back({KernelRequest::Kind::kTemporary, id, 0});
  }
  void Persistent(Bytes bytes) {
    requests_->prepare.push_back(
        {KernelRequest::Kind::kPersistent, graph::TensorId(), bytes});
  }
  void Scratch(Bytes bytes) {
    requests_->prepare.push_back(
        {KernelRequest::Kind::kScratch, graph::TensorId(), bytes});
  }
  void Init(Bytes bytes) { requests_->init.push_back(bytes); }
  void Incomplete() { requests_->incomplete = true; }

 private:
  const graph::Tensor* At(const std::vector<graph::TensorId>& ids,
                          size_t position) const {
    if (position >= ids.size() || !ids[position].valid()) return nullptr;
    return &subgraph_.tensor(ids[position]);
  }

  const graph::Subgraph& subgraph_;
  const graph::Operator& op_;
  const TflmOptions& options_;
  KernelRequests* requests_;
};

using KernelRule = void (*)(KernelScope& scope);

// Null if there is no rule of that name.
KernelRule FindKernelRule(std::string_view name);

}  // namespace stowplan::engines
