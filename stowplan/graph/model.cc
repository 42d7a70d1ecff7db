// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/model.h"

#include "stowplan/base/checked_math.h"

namespace stowplan::graph {

std::optional<Bytes> SizeOf(const Tensor& tensor) {
  if (tensor.bytes) return tensor.bytes;
  if (!tensor.shape) return std::nullopt;
  const std::optional<int64_t> elements = CheckedProduct(*tensor.shape);
  if (!elements) return std::nullopt;
  return BytesOf(tensor.dtype, *elements);
}

std::string PlaceOf(const Subgraph& subgraph, TensorId id) {
  std::string place = "tensor " + std::to_string(id.value());
  const std::string& name = subgraph.tensor(id).name;
  return name.empty() ? place : place + " (" + name + ")";
}

}  // namespace stowplan::graph
