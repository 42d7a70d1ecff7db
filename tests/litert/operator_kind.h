// SPDX-License-Identifier: Apache-2.0
//
// Which arithmetic an operator is in, for tables of results.
#pragma once

#include "stowplan/runtime/bound_graph.h"

namespace stowplan::tests {

inline bool IsFloat(const kernels::Tensor& tensor) {
  using kernels::Type;
  return tensor.type == Type::kFloat32 || tensor.type == Type::kFloat16 ||
         tensor.type == Type::kComplex64;
}

// "float", "hybrid" (float values meet integer weights), "8-bit", "16-bit" or
// "whole" (numbers that stand for themselves).
inline const char* KindOf(const runtime::BoundOperator& op) {
  using kernels::Type;
  bool floats = false;
  bool bytes = false;
  bool words = false;
  bool weights = false;
  const auto look = [&](const kernels::Tensor* tensor) {
    if (tensor == nullptr) return;
    floats |= IsFloat(*tensor) && !tensor->constant;
    const bool quantized = !tensor->quantization.scales.empty() ||
                           tensor->quantization.block_size > 0;
    if (!quantized) return;
    weights |= tensor->constant;
    bytes |= tensor->type == Type::kInt8 || tensor->type == Type::kUInt8 ||
             tensor->type == Type::kInt4 || tensor->type == Type::kInt2;
    words |= tensor->type == Type::kInt16;
  };
  for (const kernels::Tensor* tensor : op.node.inputs) look(tensor);
  for (const kernels::Tensor* tensor : op.node.outputs) look(tensor);
  const bool converts =
      op.node.type == "QUANTIZE" || op.node.type == "DEQUANTIZE";
  if (floats && weights && bytes && !converts) return "hybrid";
  if (words) return "16-bit";
  if (bytes) return "8-bit";
  return floats ? "float" : "whole";
}

}  // namespace stowplan::tests
