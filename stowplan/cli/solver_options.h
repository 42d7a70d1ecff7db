// SPDX-License-Identifier: Apache-2.0
//
// The options of the packing stage, for every command that packs.
#pragma once

#include <csignal>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

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

// While it lives, the first SIGINT asks the solver to stop, so that the best
// plan so far is the answer; the second ends the process as usual. Create it
// before other threads.
class InterruptStopsSolver {
 public:
  InterruptStopsSolver();
  ~InterruptStopsSolver();
  InterruptStopsSolver(const InterruptStopsSolver&) = delete;
  InterruptStopsSolver& operator=(const InterruptStopsSolver&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  sigset_t before_;
  std::thread waiter_;
};

// Takes the progress line away again.
void ClearProgress(const solve::Options& options);

}  // namespace stowplan::cli
