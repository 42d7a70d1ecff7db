// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/model_builder.h"

#include <utility>

#include "stowplan/testing/model_writer.h"

namespace stowplan::testing {

ModelBuilder::ModelBuilder(std::string description)
    : description_(std::move(description)) {
  AddSubgraph("main");
}

int32_t ModelBuilder::AddSubgraph(std::string name) {
  selected_ = subgraphs_.size();
  subgraphs_.push_back({std::move(name), {}, {}, {}, {}});
  return static_cast<int32_t>(selected_);
}

void ModelBuilder::Select(int32_t subgraph) {
  selected_ = static_cast<size_t>(subgraph);
}

int32_t ModelBuilder::AddTensor(TensorSpec spec) {
  std::vector<TensorSpec>& tensors = subgraphs_[selected_].tensors;
  tensors.push_back(std::move(spec));
  return static_cast<int32_t>(tensors.size()) - 1;
}

void ModelBuilder::AddOperator(std::string type, std::vector<int32_t> inputs,
                               std::vector<int32_t> outputs,
                               std::vector<Option> options) {
  OperatorSpec spec;
  spec.type = std::move(type);
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  spec.options = std::move(options);
  subgraphs_[selected_].operators.push_back(std::move(spec));
}

void ModelBuilder::AddCustomOperator(std::string name,
                                     std::vector<int32_t> inputs,
                                     std::vector<int32_t> outputs,
                                     std::vector<std::byte> options) {
  OperatorSpec spec;
  spec.custom_name = std::move(name);
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  spec.custom_options = std::move(options);
  subgraphs_[selected_].operators.push_back(std::move(spec));
}

void ModelBuilder::SetIntermediates(std::vector<int32_t> tensors) {
  subgraphs_[selected_].operators.back().intermediates = std::move(tensors);
}

void ModelBuilder::SetVersion(int32_t version) {
  subgraphs_[selected_].operators.back().version = version;
}

void ModelBuilder::SetBoundary(std::vector<int32_t> inputs,
                               std::vector<int32_t> outputs) {
  subgraphs_[selected_].inputs = std::move(inputs);
  subgraphs_[selected_].outputs = std::move(outputs);
}

void ModelBuilder::AddSignature(std::string key, Names inputs, Names outputs) {
  signatures_.push_back(
      {std::move(key), selected_, std::move(inputs), std::move(outputs)});
}

void ModelBuilder::AddMetadata(std::string name,
                               std::vector<std::byte> content) {
  metadata_.emplace_back(std::move(name), std::move(content));
}

Result<std::vector<std::byte>> ModelBuilder::Build() const {
  return ModelWriter(*this).Write();
}

}  // namespace stowplan::testing
