// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/solver.h"

#include <array>
#include <string>

namespace stowplan::solve {
namespace {

constexpr std::array<SolverInfo, 7> kSolvers = {{
    {Solver::kPortfolio, "portfolio",
     "the best of all others, with proof where it can be had"},
    {Solver::kFirstFit, "first_fit",
     "in order of birth, each at its lowest free offset"},
    {Solver::kGreedyBySize, "greedy_by_size",
     "largest first, each at its lowest free offset"},
    {Solver::kGreedyBySizeBestFit, "greedy_by_size_best_fit",
     "largest first, each in the smallest hole that holds it"},
    {Solver::kGreedyByBreadth, "greedy_by_breadth",
     "the step with most live bytes first, there the largest first"},
    {Solver::kLargeFirst, "large_first",
     "as engines do: always live first, then by size, best fit"},
    {Solver::kExact, "exact", "search until the optimum is proved"},
}};

}  // namespace

std::span<const SolverInfo> Solvers() { return kSolvers; }

std::string_view ToString(Solver solver) {
  for (const SolverInfo& info : kSolvers) {
    if (info.solver == solver) return info.name;
  }
  return "unknown";
}

Result<Solver> ParseSolver(std::string_view name) {
  std::string names;
  for (const SolverInfo& info : kSolvers) {
    if (info.name == name) return info.solver;
    names += names.empty() ? "" : ", ";
    names += info.name;
  }
  return UsageError("solver",
                    "there is none called '" + std::string(name) + "'",
                    "choose one of " + names);
}

}  // namespace stowplan::solve
