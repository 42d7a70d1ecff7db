// SPDX-License-Identifier: Apache-2.0
//
// The options of the packing stage, for every command that packs.
#pragma once

#include <cstdint>
#include <string>

#include "CLI/CLI.hpp"
#include "stowplan/base/error.h"
#include "stowplan/solve/options.h"

namespace stowplan::cli {

struct SolverOptions {
  std::string solver = "portfolio";
  std::string deadline;
  int64_t effort = solve::Options::kDefaultEffort;
  int threads = 0;
};

void AddSolverOptions(CLI::App& command, SolverOptions* options);

// `progress`: show a progress line on stderr if that is a terminal. Errors:
// kUsage. A deadline counts from now.
Result<solve::Options> ToSolveOptions(const SolverOptions& options,
                                      bool progress);

// Takes the progress line away again.
void ClearProgress(const solve::Options& options);

}  // namespace stowplan::cli
