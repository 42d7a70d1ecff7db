// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/file_facts.h"

#include <cstring>

namespace stowplan::runtime {
namespace {

namespace schema = tflite::schema;
using graph::OperatorId;
using graph::SubgraphId;
using graph::TensorId;

template <class Vector>
std::vector<int32_t> Widen(const Vector* vector) {
  if (vector == nullptr) return {};
  return {vector->begin(), vector->end()};
}

std::vector<int32_t> ReadIndices(const void* vector,
                                 schema::SparseIndexVector type) {
  if (vector == nullptr) return {};
  switch (type) {
    case schema::SparseIndexVector::Int32Vector:
      return Widen(static_cast<const schema::Int32Vector*>(vector)->values());
    case schema::SparseIndexVector::Uint16Vector:
      return Widen(static_cast<const schema::Uint16Vector*>(vector)->values());
    case schema::SparseIndexVector::Uint8Vector:
      return Widen(static_cast<const schema::Uint8Vector*>(vector)->values());
    default:
      return {};
  }
}

}  // namespace

FileFacts::FileFacts(const tflite::ModelView& view) {
  const auto& subgraphs = *view.model().subgraphs();
  for (uint32_t s = 0; s < subgraphs.size(); ++s) {
    const schema::SubGraph& subgraph = *subgraphs.Get(s);
    const SubgraphId id = SubgraphId::FromIndex(s);
    const size_t tensors =
        subgraph.tensors() == nullptr ? 0 : subgraph.tensors()->size();
    for (size_t t = 0; t < tensors; ++t) {
      AddTensor(view, {id, TensorId::FromIndex(t)}, subgraph);
    }
    if (subgraph.operators() == nullptr) continue;
    for (uint32_t i = 0; i < subgraph.operators()->size(); ++i) {
      const auto options = view.CustomOptions(*subgraph.operators()->Get(i));
      if (!options.empty()) {
        custom_[{id, OperatorId::FromIndex(i)}] = options;
      }
    }
  }
}

void FileFacts::AddTensor(const tflite::ModelView& view, graph::TensorRef ref,
                          const schema::SubGraph& subgraph) {
  const auto& tensors = *subgraph.tensors();
  const schema::Tensor& tensor =
      *tensors.Get(static_cast<uint32_t>(ref.tensor.index()));
  if (tensor.sparsity() != nullptr) {
    ReadSparsity(*tensor.sparsity(), &sparse_[ref]);
  }
  if (tensor.quantization() == nullptr) return;
  const auto* blocks =
      tensor.quantization()->details_as_BlockwiseQuantization();
  if (blocks == nullptr || blocks->scales() < 0 ||
      static_cast<uint32_t>(blocks->scales()) >= tensors.size()) {
    return;
  }
  const schema::Tensor& scales =
      *tensors.Get(static_cast<uint32_t>(blocks->scales()));
  if (scales.type() != schema::TensorType::FLOAT16) return;
  const std::span<const std::byte> content = view.Content(scales.buffer());
  const size_t count = content.size() / sizeof(uint16_t);
  const auto* data = reinterpret_cast<const uint16_t*>(content.data());
  if (reinterpret_cast<uintptr_t>(data) % alignof(uint16_t) != 0) {
    std::vector<uint16_t>& copy = copies_.emplace_back(count);
    std::memcpy(copy.data(), content.data(), count * sizeof(uint16_t));
    data = copy.data();
  }
  block_scales_[ref] = {data, count};
}

void FileFacts::ReadSparsity(const schema::SparsityParameters& from,
                             SparseTensor* to) {
  to->traversal_order = Widen(from.traversal_order());
  to->block_map = Widen(from.block_map());
  if (from.dim_metadata() != nullptr) {
    for (const schema::DimensionMetadata* level : *from.dim_metadata()) {
      kernels::Sparsity::Level& added = to->levels.emplace_back();
      added.dense = level->format() == schema::DimensionType::DENSE;
      added.size = level->dense_size();
      if (added.dense) continue;
      added.segments = to->indices.emplace_back(
          ReadIndices(level->array_segments(), level->array_segments_type()));
      added.indices = to->indices.emplace_back(
          ReadIndices(level->array_indices(), level->array_indices_type()));
    }
  }
  to->view = {to->traversal_order, to->block_map, to->levels};
}

const kernels::Sparsity* FileFacts::SparsityOf(graph::TensorRef tensor) const {
  const auto found = sparse_.find(tensor);
  return found == sparse_.end() ? nullptr : &found->second.view;
}

std::span<const uint16_t> FileFacts::BlockScalesOf(
    graph::TensorRef tensor) const {
  const auto found = block_scales_.find(tensor);
  return found == block_scales_.end() ? std::span<const uint16_t>()
                                      : found->second;
}

std::span<const std::byte> FileFacts::CustomOptionsOf(
    graph::OperatorRef op) const {
  const auto found = custom_.find(op);
  return found == custom_.end() ? std::span<const std::byte>() : found->second;
}

}  // namespace stowplan::runtime
