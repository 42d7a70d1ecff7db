// SPDX-License-Identifier: Apache-2.0
//
// The judge over the public models: our own plan of each passes, and so do
// LiteRT's own addresses as it gave them; each in under a second.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>

#include "gtest/gtest.h"
#include "stowplan/engines/litert.h"
#include "stowplan/engines/replay.h"
#include "stowplan/engines/stowplan.h"
#include "stowplan/schedule/memory_needs.h"
#include "stowplan/solve/solve.h"
#include "tests/model_files.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

using engines::Layout;
using engines::Replay;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void ExpectPasses(const std::string& name, const graph::Model& model,
                  const Layout& layout, double* slowest) {
  const auto start = Clock::now();
  const Replay replay = engines::ReplayPlan(model, layout);
  const double seconds = SecondsSince(start);
  *slowest = std::max(*slowest, seconds);
  EXPECT_LT(seconds, 1.0) << name;
  for (const auto& broken : replay.violations) {
    ADD_FAILURE() << name << " (" << layout.engine
                  << "): " << engines::Describe(model, broken);
  }
}

TEST(ReplayGoldenTest, PlansOfThePublicModelsAreSound) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models");
  double ours = 0, litert = 0;
  size_t count = 0;
  for (const auto& [name, path] : SharedModels()) {
    const auto model = ModelOfFile(path);
    if (!model) continue;  // Files that are broken on purpose.
    const auto needs = schedule::FindMemoryNeeds(*model, {});
    if (!needs) continue;
    ++count;
    solve::Options options;
    options.solver = solve::Solver::kGreedyBySize;
    const auto outcome = solve::Solve(needs->problem, options);
    ASSERT_TRUE(outcome.has_value()) << name;
    ExpectPasses(name, *model,
                 engines::PlanStowplan(*model, *needs, outcome->plan), &ours);
    const auto layout = engines::PlanLiteRt(*model);
    ASSERT_TRUE(layout.has_value()) << name;
    ExpectPasses(name, *model, *layout, &litert);
  }
  std::cout << count << " models; slowest replay " << ours << " s (ours), "
            << litert << " s (LiteRT's)\n";
}

}  // namespace
}  // namespace stowplan
