// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a graph: they are read or refused, never worse; what was read
// is written and read back the same, and its shapes are inferred or one
// operator is named.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stowplan/graph/check.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/graph/infer_shapes.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stowplan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<graph::Model> model = graph::ReadGraphJson(text);
  if (!model) {
    Require(!model.error().what.empty());
    return 0;
  }
  Require(graph::CheckModel(*model).has_value());
  const std::string written = graph::WriteGraphJson(*model);
  const Result<graph::Model> again = graph::ReadGraphJson(written);
  Require(again.has_value());
  Require(graph::WriteGraphJson(*again) == written);

  const Result<graph::InferenceReport> report = graph::InferShapes(&*model, {});
  Require(report ? graph::CheckModel(*model).has_value()
                 : !report.error().where.empty());
  return 0;
}
