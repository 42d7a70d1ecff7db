// SPDX-License-Identifier: Apache-2.0
//
// Values of a model's tensors that another engine computed, as a script wrote
// them: a sequence of {int32 subgraph, int32 tensor, int32 rank, int32 zero,
// int64 dims[rank], int64 bytes, content}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "stowplan/graph/model.h"

namespace stowplan::tests {

struct DumpedTensor {
  std::vector<int64_t> shape;
  std::vector<std::byte> content;
};
using TensorDump = std::map<graph::TensorRef, DumpedTensor>;

// Stops at the end of the file or where a tensor is cut off.
inline TensorDump ReadTensorDump(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  TensorDump dump;
  int32_t head[4];
  while (file.read(reinterpret_cast<char*>(head), sizeof(head))) {
    DumpedTensor tensor;
    tensor.shape.resize(static_cast<size_t>(head[2]));
    file.read(reinterpret_cast<char*>(tensor.shape.data()), head[2] * 8);
    int64_t bytes = 0;
    file.read(reinterpret_cast<char*>(&bytes), sizeof(bytes));
    if (!file) break;
    tensor.content.resize(static_cast<size_t>(bytes));
    file.read(reinterpret_cast<char*>(tensor.content.data()), bytes);
    if (!file) break;
    dump[{graph::SubgraphId(head[0]), graph::TensorId(head[1])}] =
        std::move(tensor);
  }
  return dump;
}

}  // namespace stowplan::tests
