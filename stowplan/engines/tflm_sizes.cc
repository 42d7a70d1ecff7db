// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_sizes.h"

#include <algorithm>
#include <optional>
#include <string>

#include "stowplan/base/checked_math.h"

namespace stowplan::engines {
namespace {

using graph::Shape;
using graph::Subgraph;
using graph::Tensor;
using graph::TensorId;

Bytes ElementBytes(DType dtype) {
  if (dtype == DType::kResource) return 4;
  const int bits = BitsOf(dtype);
  return bits == 0 ? 0 : std::max(bits / 8, 1);
}

// Nothing if a dimension is not known or the product does not fit.
std::optional<int64_t> ElementsOf(const Tensor& tensor) {
  return tensor.shape ? CheckedProduct(*tensor.shape) : 1;
}

// The elements of outputs of RESHAPE with one unknown dimension.
void Stretch(const Subgraph& subgraph,
             std::vector<std::optional<int64_t>>* elements) {
  for (const graph::Operator& op : subgraph.operators) {
    if (op.kind != graph::OpKind::kReshape) continue;
    if (op.inputs.empty() || op.outputs.empty()) continue;
    if (!op.inputs[0].valid() || !op.outputs[0].valid()) continue;
    const std::optional<int64_t> input = (*elements)[op.inputs[0].index()];
    const std::optional<Shape>& shape = subgraph.tensor(op.outputs[0]).shape;
    if (!input || !shape) continue;
    if (std::count(shape->begin(), shape->end(), graph::kUnknownDim) != 1) {
      continue;
    }
    Shape known = *shape;
    std::replace(known.begin(), known.end(), graph::kUnknownDim, int64_t{1});
    const std::optional<int64_t> product = CheckedProduct(known);
    if (!product || *product == 0 || *input % *product != 0) continue;
    (*elements)[op.outputs[0].index()] = *input;
  }
}

}  // namespace

Result<std::vector<Bytes>> TflmBytesOf(const Subgraph& subgraph) {
  std::vector<std::optional<int64_t>> elements;
  for (const Tensor& tensor : subgraph.tensors) {
    elements.push_back(ElementsOf(tensor));
  }
  Stretch(subgraph, &elements);
  std::vector<Bytes> bytes(elements.size(), 0);
  for (size_t i = 0; i < elements.size(); ++i) {
    const Tensor& tensor = subgraph.tensors[i];
    if (IsMapped(tensor)) continue;
    const Bytes element = ElementBytes(tensor.dtype);
    std::optional<int64_t> size = tensor.bytes;
    if (!size && element > 0 && elements[i]) {
      size = CheckedMul(*elements[i], element);
    }
    if (size && *size >= 0 && *size < kTooManyBytes) {
      bytes[i] = *size;
      continue;
    }
    const std::string where = graph::PlaceOf(subgraph, TensorId::FromIndex(i));
    if (element == 0) {
      return BadInput(
          where, "TFLM has no size for " + std::string(NameOf(tensor.dtype)),
          "plan the model for another engine");
    }
    return BadInput(where,
                    "its shape has an unknown or too large dimension, and "
                    "TFLM takes shapes as the file has them",
                    "export the model with fixed shapes");
  }
  return bytes;
}

}  // namespace stowplan::engines
