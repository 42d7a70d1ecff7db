// SPDX-License-Identifier: Apache-2.0
//
// The solvers by name.
#pragma once

#include <span>
#include <string_view>

#include "stowplan/base/error.h"

namespace stowplan::solve {

enum class Solver {
  kPortfolio,            // The best of all, with proof where it can be had.
  kFirstFit,             // In order of birth, each at its lowest offset.
  kGreedyBySize,         // Largest first, each at its lowest offset.
  kGreedyBySizeBestFit,  // Largest first, each in its smallest hole.
  kGreedyByBreadth,      // Fullest step first, there the largest first.
  kLargeFirst,           // As engines do: always live first, then by size.
  kExact,                // Search until the optimum is proved.
};

// What a person types and reads.
struct SolverInfo {
  Solver solver;
  std::string_view name;     // "greedy_by_size".
  std::string_view summary;  // Half a sentence for a help page.
};

// All solvers, the default one first.
std::span<const SolverInfo> Solvers();

std::string_view ToString(Solver solver);

// Errors: kUsage for a name that is not in Solvers(), listing them.
Result<Solver> ParseSolver(std::string_view name);

}  // namespace stowplan::solve
