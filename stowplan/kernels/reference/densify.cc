// SPDX-License-Identifier: Apache-2.0
//
// DENSIFY: a sparse constant with its zeros put back.
#include <cstring>

#include "stowplan/kernels/reference/making.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

constexpr size_t kMaxLevels = 2 * kMaxRank;

// Walks the tree of levels; the stored values are its leaves, in order.
class Expander {
 public:
  Expander(const Tensor& input, Tensor& output)
      : sparsity_(*input.sparsity),
        input_(input),
        output_(output),
        element_(SizeOf(input.type)) {
    const size_t rank = output.shape.rank;
    for (size_t axis = 0; axis < rank; ++axis) block_[axis] = 1;
    for (size_t i = rank; i < sparsity_.traversal_order.size(); ++i) {
      const auto axis =
          static_cast<size_t>(sparsity_.traversal_order[i]) - rank;
      const auto mapped = static_cast<size_t>(sparsity_.block_map[axis]);
      block_[mapped] = sparsity_.levels[i].size;
    }
  }

  void Run() { Walk(0, 0); }

 private:
  // `node` is the number of the entry of level - 1 that is expanded.
  void Walk(size_t level, int64_t node) {
    if (level == sparsity_.levels.size()) {
      Put(node);
      return;
    }
    const Sparsity::Level& at = sparsity_.levels[level];
    const auto axis = static_cast<size_t>(sparsity_.traversal_order[level]);
    if (at.dense) {
      for (int64_t i = 0; i < at.size; ++i) {
        index_[axis] = i;
        Walk(level + 1, node * at.size + i);
      }
      return;
    }
    const int64_t end = at.segments[static_cast<size_t>(node) + 1];
    for (int64_t i = at.segments[static_cast<size_t>(node)]; i < end; ++i) {
      index_[axis] = at.indices[static_cast<size_t>(i)];
      Walk(level + 1, i);
    }
  }

  void Put(int64_t leaf) {
    const Shape& shape = output_.shape;
    std::array<int64_t, kMaxRank> position = {};
    for (size_t axis = 0; axis < shape.rank; ++axis) {
      position[axis] = index_[axis] * block_[axis];
    }
    for (size_t b = 0; b < sparsity_.block_map.size(); ++b) {
      position[static_cast<size_t>(sparsity_.block_map[b])] +=
          index_[shape.rank + b];
    }
    int64_t offset = 0;
    for (size_t axis = 0; axis < shape.rank; ++axis) {
      offset = offset * shape[axis] + position[axis];
    }
    std::memcpy(output_.data + offset * static_cast<int64_t>(element_),
                input_.data + leaf * static_cast<int64_t>(element_), element_);
  }

  const Sparsity& sparsity_;
  const Tensor& input_;
  Tensor& output_;
  size_t element_;
  std::array<int64_t, kMaxLevels> index_ = {};
  std::array<int64_t, kMaxRank> block_ = {};
};

}  // namespace

Result<Needs> PrepareDensify(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  const Tensor& input = *node.input(0);
  if (input.sparsity == nullptr || !input.constant) {
    return Unsupported(node, "the input is no sparse constant");
  }
  if (SizeOf(input.type) == 0 || node.output().type != input.type ||
      input.sparsity->levels.size() > kMaxLevels) {
    return Unsupported(node, "this type has no code");
  }
  if (node.output().shape != input.shape) {
    return Unsupported(node, "input and output differ in shape");
  }
  return Needs{};
}

Status RunDensify(const Node& node) {
  Tensor& output = node.output();
  std::memset(
      output.data, 0,
      static_cast<size_t>(output.shape.elements()) * SizeOf(output.type));
  Expander(*node.input(0), output).Run();
  return {};
}

}  // namespace stowplan::kernels::reference
