// SPDX-License-Identifier: Apache-2.0
//
// From a plan to the document that reports it.
#pragma once

#include <string>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/report/document.h"
#include "stowplan/schedule/memory_needs.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::report {

struct SourceInfo {
  std::string path;
  Bytes bytes = 0;
  bool mapped = true;  // Whether the file stays mapped, not copied.
};

struct BuildOptions {
  std::string order = "file";  // The name of the order of the operators.
  std::string solver = "";     // As asked for; empty: the one that won.
  bool prices = true;          // Each price takes one more analysis.
};

// REQUIRES: `needs` is of `model` and `outcome` of `needs.problem`.
// Errors: kInternal if the outcome has not one offset per buffer (none at all
// is allowed), and those of FindMemoryNeeds for the prices.
// O((model + steps) log steps).
Result<Document> Build(const graph::Model& model,
                       const schedule::MemoryNeeds& needs,
                       const solve::Outcome& outcome, const SourceInfo& source,
                       const BuildOptions& options = {});

}  // namespace stowplan::report
