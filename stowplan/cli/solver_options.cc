// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/solver_options.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "fmt/format.h"
#include "stowplan/cli/units.h"
#include "stowplan/solve/solver.h"

namespace stowplan::cli {
namespace {

void ShowProgress(const solve::Progress& progress) {
  const std::string line = fmt::format(
      "\r\033[K{}: peak {}, bound {}, {} nodes", progress.stage,
      progress.peak.value_or(0), progress.lower_bound, progress.nodes);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

void AddSolverOptions(CLI::App& command, SolverOptions* options) {
  std::string solvers = "One of";
  for (const solve::SolverInfo& info : solve::Solvers()) {
    solvers += fmt::format("\n  {}: {}", info.name, info.summary);
  }
  command.add_option("--solver", options->solver, solvers)
      ->capture_default_str();
  command.add_option("--deadline", options->deadline,
                     "Stop packing after this time, such as 100ms or 2s");
  command
      .add_option("--effort", options->effort,
                  "Most search nodes to visit; the same answer everywhere")
      ->capture_default_str()
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text.starts_with('-') ? std::string("must not be negative")
                                         : std::string();
          },
          "N"));
  command
      .add_option("--threads", options->threads,
                  "0: as many as the machine has; never changes the answer")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
}

Result<solve::Options> ToSolveOptions(const SolverOptions& options,
                                      bool progress) {
  solve::Options result;
  STOWPLAN_TRY(solver, solve::ParseSolver(options.solver));
  result.solver = solver;
  result.effort = options.effort;
  result.threads =
      options.threads > 0
          ? options.threads
          : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (!options.deadline.empty()) {
    STOWPLAN_TRY(time, ParseDuration(options.deadline));
    result.deadline = std::chrono::steady_clock::now() + time;
  }
  if (progress && isatty(STDERR_FILENO) != 0) result.progress = ShowProgress;
  return result;
}

// A thread waits for the signals, since next to nothing may be called in a
// handler. SIGUSR1, sent by the destructor, ends it.
InterruptStopsSolver::InterruptStopsSolver() {
  sigset_t waited;
  sigemptyset(&waited);
  sigaddset(&waited, SIGINT);
  sigaddset(&waited, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &waited, &before_);
  waiter_ = std::thread([this, waited] {
    int signal = 0;
    while (sigwait(&waited, &signal) == 0 && signal == SIGINT) {
      if (stop_.stop_requested()) _exit(128 + SIGINT);
      stop_.request_stop();
    }
  });
}

InterruptStopsSolver::~InterruptStopsSolver() {
  pthread_kill(waiter_.native_handle(), SIGUSR1);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void ClearProgress(const solve::Options& options) {
  if (options.progress) std::fputs("\r\033[K", stderr);
}

}  // namespace stowplan::cli
