// SPDX-License-Identifier: Apache-2.0
//
// What a caller may ask of Solve.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/solve/solver.h"

namespace stowplan::solve {

// Where a long run stands.
struct Progress {
  std::string_view stage;     // "greedy", "search", ...
  std::optional<Bytes> peak;  // Of the best plan so far.
  Bytes lower_bound = 0;      // Proved so far.
  int64_t nodes = 0;          // Visited so far.
};

struct Options {
  // Over ten times what the hard public instances with a known optimum take;
  // the others are given up after some seconds.
  static constexpr int64_t kDefaultEffort = 200'000;

  Solver solver = Solver::kPortfolio;

  // How many search nodes may be visited before the best plan so far is the
  // answer. Greedy solvers take no effort. A node of a problem with more than
  // 500 buffers costs more, and counts in proportion. Counted work makes the
  // answer the same on every machine.
  int64_t effort = kDefaultEffort;

  // Stop at this moment at the latest. The clock is read only if it is set,
  // and an answer cut short by it is valid but depends on the machine.
  std::optional<std::chrono::steady_clock::time_point> deadline;

  // At least 1. The answer does not depend on it.
  int threads = 1;

  // Ask for a stop from another thread; the best plan so far is the answer.
  std::stop_token cancel;

  // A plan to improve on. One that breaks a rule of the problem is an error;
  // one that only exceeds the capacity is not.
  std::optional<plan::Plan> warm_start;

  // Called now and then from the calling thread; may be empty.
  std::function<void(const Progress&)> progress;

  // Whether a stop was asked for or the deadline is over.
  bool MustStop() const {
    return cancel.stop_requested() ||
           (deadline && std::chrono::steady_clock::now() >= *deadline);
  }
};

}  // namespace stowplan::solve
