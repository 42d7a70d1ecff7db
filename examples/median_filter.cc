// SPDX-License-Identifier: Apache-2.0
#include "examples/median_filter.h"

#include <algorithm>
#include <cstring>

namespace stowplan::examples {
namespace {

using kernels::Needs;
using kernels::Node;
using kernels::Tensor;
using kernels::Type;

Bytes RowBytes(const Tensor& tensor) {
  return tensor.shape.last() * static_cast<Bytes>(sizeof(float));
}

// Once, before memory is planned: refuses what it cannot do and says what it
// needs besides inputs and outputs.
Result<Needs> Prepare(const Node& node) {
  if (node.inputs.size() != 1 || node.outputs.size() != 1 ||
      node.input(0) == nullptr || node.input(0)->type != Type::kFloat32 ||
      node.output().type != Type::kFloat32) {
    return kernels::Unsupported(node, "it takes one float32 tensor");
  }
  if (node.input(0)->shape != node.output().shape) {
    return kernels::Unsupported(node, "input and output differ in shape");
  }
  Needs needs;
  needs.scratch = RowBytes(*node.input(0));
  needs.in_place = 0b1;  // The output may lie on input 0.
  return needs;
}

// At every run: no heap, memory only as declared. A row is copied before it is
// written, since the output may be the same bytes.
Status Run(const Node& node) {
  const Tensor& input = *node.input(0);
  const int64_t width = input.shape.last();
  if (width == 0) return {};
  const int64_t rows = input.shape.elements() / width;
  auto* row = reinterpret_cast<float*>(node.scratch);
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(row, input.As<float>() + r * width,
                static_cast<size_t>(RowBytes(input)));
    float* out = node.output().As<float>() + r * width;
    for (int64_t i = 0; i < width; ++i) {
      const float left = row[std::max<int64_t>(i - 1, 0)];
      const float right = row[std::min(i + 1, width - 1)];
      out[i] = std::max(std::min(left, right),
                        std::min(std::max(left, right), row[i]));
    }
  }
  return {};
}

}  // namespace

Status AddMedianFilter(kernels::Registry* registry) {
  return registry->Add(
      {.type = "MedianFilter", .prepare = Prepare, .run = Run});
}

}  // namespace stowplan::examples
