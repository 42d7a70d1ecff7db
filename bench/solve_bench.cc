// SPDX-License-Identifier: Apache-2.0
//
// How long each solver takes, against the number of buffers.
//
//   BM_Solve/<solver>/<shape>/<buffers>
//
// `chain`: as in a network, ten buffers live at once. `heavy`: 500 live and a
// heavy tail of sizes, the worst that greedy solvers meet here.
#include <cstdint>
#include <string>

#include "benchmark/benchmark.h"
#include "stowplan/solve/solve.h"
#include "stowplan/testing/problem_generator.h"

namespace stowplan::solve {
namespace {

void BM_Solve(benchmark::State& state, Solver solver, int64_t live) {
  const plan::Problem problem =
      testing::HeavyTailedProblem(state.range(0), live, 1);
  Options options;
  options.solver = solver;
  for (auto _ : state) {
    Result<Outcome> outcome = Solve(problem, options);
    benchmark::DoNotOptimize(outcome);
    state.counters["gap_percent"] =
        100.0 * static_cast<double>(outcome->peak - outcome->lower_bound) /
        static_cast<double>(outcome->lower_bound);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

void RegisterAll() {
  for (const SolverInfo& info : Solvers()) {
    if (info.solver == Solver::kPortfolio || info.solver == Solver::kExact) {
      continue;
    }
    for (const auto& [shape, live] :
         {std::pair<const char*, int64_t>("chain", 10), {"heavy", 500}}) {
      const std::string name =
          "BM_Solve/" + std::string(info.name) + "/" + shape;
      benchmark::RegisterBenchmark(name.c_str(), BM_Solve, info.solver, live)
          ->RangeMultiplier(10)
          ->Range(1000, 100000)
          ->Unit(benchmark::kMillisecond)
          ->Complexity(benchmark::oNLogN);
    }
  }
}

}  // namespace
}  // namespace stowplan::solve

int main(int argc, char** argv) {
  stowplan::solve::RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
