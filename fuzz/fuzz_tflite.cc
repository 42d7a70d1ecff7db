// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a model file: it is read or refused with a place and a remedy,
// never worse, and what was read keeps the graph's promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "stowplan/graph/check.h"
#include "stowplan/model/import.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stowplan;
  // A copy: aligned, as the reader asks for, and with guarded ends.
  std::vector<std::byte> file(size);
  if (size > 0) std::memcpy(file.data(), data, size);
  const auto view = tflite::ModelView::Open(file);
  const Result<graph::Model> model =
      view ? model::Import(*view)
           : Result<graph::Model>(tl::unexpected(view.error()));
  if (!model) {
    Require(model.error().kind == ErrorKind::kBadInput);
    Require(!model.error().where.empty() && !model.error().what.empty());
    return 0;
  }
  Require(!graph::FindFault(*model));
  uint8_t sum = 0;
  for (const graph::Subgraph& subgraph : model->subgraphs) {
    for (const graph::Tensor& tensor : subgraph.tensors) {
      // Constants are views: every byte must be there.
      for (std::byte byte : tensor.data) sum ^= static_cast<uint8_t>(byte);
      const auto bytes = graph::SizeOf(tensor);
      Require(!bytes || *bytes >= 0);
    }
  }
  // Used, so that no compiler leaves the reading out.
  [[maybe_unused]] static volatile uint8_t sink;
  sink = sum;
  return 0;
}
