// SPDX-License-Identifier: Apache-2.0
//
// The judge over random graphs. STOWPLAN_FUZZ_GRAPHS says how many (20,000
// unless told).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "gtest/gtest.h"
#include "stowplan/engines/litert.h"
#include "stowplan/engines/replay.h"
#include "stowplan/engines/stowplan.h"
#include "stowplan/schedule/memory_needs.h"
#include "stowplan/solve/solve.h"
#include "stowplan/testing/problem_random.h"
#include "tests/concrete_run.h"
#include "tests/random_graph.h"

namespace stowplan {
namespace {

using engines::Layout;
using engines::Piece;
using engines::Replay;

uint64_t GraphCount() {
  const char* count = std::getenv("STOWPLAN_FUZZ_GRAPHS");
  return count == nullptr ? 20000 : std::strtoull(count, nullptr, 10);
}

Layout OurPlan(const graph::Model& model, schedule::Rules rules,
               schedule::MemoryNeeds* needs) {
  auto found = schedule::FindMemoryNeeds(model, rules);
  EXPECT_TRUE(found.has_value());
  *needs = *std::move(found);
  solve::Options options;
  options.solver = solve::Solver::kGreedyBySize;
  const auto outcome = solve::Solve(needs->problem, options);
  EXPECT_TRUE(outcome.has_value());
  return engines::PlanStowplan(model, *needs, outcome->plan);
}

graph::TensorRef RootOf(const Layout& layout, graph::TensorRef tensor) {
  const auto at =
      layout.piece_of[tensor.subgraph.index()][tensor.tensor.index()];
  const graph::TensorRef alias = layout.pieces[at.value()].alias_of;
  return alias.tensor.valid() ? alias : tensor;
}

TEST(ReplayFuzzTest, OurPlansAreSoundAndLiteRtsFailInTheKnownWayOnly) {
  const uint64_t count = GraphCount();
  uint64_t broken = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const graph::Model model = RandomGraph(seed, {});
    schedule::MemoryNeeds needs;
    const Layout ours = OurPlan(model, {}, &needs);
    const Replay good = engines::ReplayPlan(model, ours);
    ASSERT_TRUE(good.ok()) << "seed " << seed << ": "
                           << engines::Describe(model, good.violations[0]);
    const auto litert = engines::PlanLiteRt(model);
    ASSERT_TRUE(litert.has_value());
    const Replay replay = engines::ReplayPlan(model, *litert);
    if (!replay.ok()) ++broken;
    // An overwrite of one chain of aliases, by an operator of that chain.
    for (const engines::BrokenRead& read : replay.violations) {
      ASSERT_TRUE(read.overwriting.tensor.valid());
      ASSERT_EQ(RootOf(*litert, read.tensor), RootOf(*litert, read.overwriting))
          << "seed " << seed << ": " << engines::Describe(model, read);
    }
  }
  std::cout << broken << " of " << count
            << " random graphs of 12 operators: LiteRT's plan is unsound\n";
  EXPECT_GT(broken, 0u);
}

TEST(ReplayFuzzTest, OurPlansAreSoundForTensorsOfManySizes) {
  RandomGraphOptions options;
  options.one_size = false;
  options.scratch = true;
  for (uint64_t seed = 0; seed < GraphCount() / 2; ++seed) {
    options.operators = static_cast<int>(seed % 40) + 1;
    const graph::Model model = RandomGraph(seed, options);
    schedule::MemoryNeeds needs;
    const Layout ours = OurPlan(model, {}, &needs);
    const Replay replay = engines::ReplayPlan(model, ours);
    ASSERT_TRUE(replay.ok()) << "seed " << seed << ": "
                             << engines::Describe(model, replay.violations[0]);
  }
}

// Moves one buffer of a valid plan to any place.
void MoveOneBuffer(const schedule::MemoryNeeds& needs,
                   const graph::Model& model, testing::Random* random,
                   Layout* layout) {
  const auto buffers = static_cast<int64_t>(needs.contents.size());
  const auto b = static_cast<size_t>(random->Between(0, buffers - 1));
  const Bytes extent = layout->regions[0].bytes;
  const Bytes offset = random->Between(0, extent);
  size_t scratch = 0;
  for (size_t i = 0; i < b; ++i) scratch += needs.contents[i].tensors.empty();
  for (Piece& piece : layout->pieces) {
    if (piece.tensor.tensor.valid()) {
      const auto id = needs.buffer_of[0][piece.tensor.tensor.index()];
      if (id.valid() && id.index() == b) piece.offset = offset;
    } else if (needs.contents[b].tensors.empty() && scratch-- == 0) {
      piece.offset = offset;
    }
  }
  engines::IndexPieces(model, layout);
}

TEST(ReplayFuzzTest, TheJudgeAgreesWithARunOnEveryMovedBuffer) {
  uint64_t harmful = 0, harmless = 0, seed = 0;
  while (harmful < 10000 || harmless < 10000) {
    RandomGraphOptions options;
    options.operators = static_cast<int>(seed % 12) + 2;
    options.one_size = seed % 2 == 0;
    options.scratch = seed % 3 == 0;
    options.elements = static_cast<int64_t>(seed % 5) + 1;
    const graph::Model model = RandomGraph(seed, options);
    schedule::Rules rules;
    rules.alignment = 1;
    rules.in_place =
        seed % 4 == 0 ? schedule::InPlace::kOff : schedule::InPlace::kSafe;
    schedule::MemoryNeeds needs;
    const Layout valid = OurPlan(model, rules, &needs);
    ASSERT_TRUE(RunsRight(model, valid)) << "seed " << seed;
    ASSERT_TRUE(engines::ReplayPlan(model, valid).ok()) << "seed " << seed;
    testing::Random random(seed);
    for (int tries = 0; tries < 8; ++tries) {
      Layout moved = valid;
      MoveOneBuffer(needs, model, &random, &moved);
      const bool right = RunsRight(model, moved);
      const Replay replay = engines::ReplayPlan(model, moved);
      ASSERT_EQ(replay.ok(), right)
          << "seed " << seed << ", try " << tries << ": "
          << (replay.ok() ? "not seen"
                          : engines::Describe(model, replay.violations[0]));
      ++(right ? harmless : harmful);
    }
    ++seed;
  }
  std::cout << harmful << " harmful moves all seen, " << harmless
            << " harmless ones none reported\n";
}

}  // namespace
}  // namespace stowplan
