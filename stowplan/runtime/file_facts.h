// SPDX-License-Identifier: Apache-2.0
//
// What kernels need of a model file beside its graph: how sparse constants
// are stored, the scales of blocks, and custom operators' own options.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "stowplan/graph/ref.h"
#include "stowplan/kernels/tensor.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::runtime {

// Views into the file stay valid as long as the file does.
class FileFacts {
 public:
  // Of a graph that came from no file: nothing.
  FileFacts() = default;
  // O(file).
  explicit FileFacts(const tflite::ModelView& view);

  // Null if the tensor is not sparse.
  const kernels::Sparsity* SparsityOf(graph::TensorRef tensor) const;
  // Scales of blocks in half precision; empty if there are none.
  std::span<const uint16_t> BlockScalesOf(graph::TensorRef tensor) const;
  std::span<const std::byte> CustomOptionsOf(graph::OperatorRef op) const;

 private:
  struct SparseTensor {
    std::vector<int32_t> traversal_order;
    std::vector<int32_t> block_map;
    std::deque<std::vector<int32_t>> indices;  // What levels point to.
    std::vector<kernels::Sparsity::Level> levels;
    kernels::Sparsity view;
  };

  void AddTensor(const tflite::ModelView& view, graph::TensorRef ref,
                 const tflite::schema::SubGraph& subgraph);
  static void ReadSparsity(const tflite::schema::SparsityParameters& from,
                           SparseTensor* to);

  std::map<graph::TensorRef, SparseTensor> sparse_;
  std::map<graph::TensorRef, std::span<const uint16_t>> block_scales_;
  std::deque<std::vector<uint16_t>> copies_;  // Of scales at odd addresses.
  std::map<graph::OperatorRef, std::span<const std::byte>> custom_;
};

}  // namespace stowplan::runtime
