// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/model.h"

#include "stowplan/base/checked_math.h"

namespace stowplan::graph {

bool IsView(const Operator& op, size_t input) {
  if (op.in_place) {
    return op.in_place->kind == InPlaceClaim::Kind::kView &&
           op.in_place->input == input;
  }
  const OpTraits& traits = TraitsOf(op.kind);
  return traits.sharing == Sharing::kView && traits.MayShare(input);
}

std::optional<Bytes> SizeOf(const Tensor& tensor) {
  if (tensor.bytes) return tensor.bytes;
  if (!tensor.shape) return std::nullopt;
  const std::optional<int64_t> elements = CheckedProduct(*tensor.shape);
  if (!elements) return std::nullopt;
  return BytesOf(tensor.dtype, *elements);
}

std::string Clipped(const std::string& name) {
  constexpr size_t kMost = 160;
  if (name.size() <= kMost) return name;
  // Not in the middle of a character: UTF-8 goes on with 10xxxxxx.
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) {
    --end;
  }
  return name.substr(0, end) + "...";
}

std::string PlaceOf(const Subgraph& subgraph, TensorId id) {
  std::string place = "tensor " + std::to_string(id.value());
  const std::string& name = subgraph.tensor(id).name;
  return name.empty() ? place : place + " (" + Clipped(name) + ")";
}

}  // namespace stowplan::graph
