// SPDX-License-Identifier: Apache-2.0
//
// The state of a loop lies in one place where nobody can tell the difference:
// random loops give the same bits as in memory of their own, the judge of
// plans agrees, and where the rule refuses to share, sharing is a fault.
#include "stowplan/engines/replay.h"
#include "stowplan/engines/stowplan.h"
#include "stowplan/runtime/audit.h"
#include "stowplan/schedule/loop_state.h"
#include "tests/runtime/random_loop_model.h"
#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

using graph::TensorRef;
using runtime::InterpreterOptions;
using schedule::InPlace;
using schedule::LoopArgument;

constexpr uint64_t kModels = 600;

ModelPointer RandomLoop(uint64_t seed) {
  return ModelOf(RandomLoopModel(seed));
}

std::vector<std::byte> OutputsOf(const ModelFile& model, InPlace in_place,
                                 Bytes* arena) {
  InterpreterOptions options;
  options.rules.in_place = in_place;
  auto interpreter = MakeInterpreter(model, options);
  EXPECT_TRUE(interpreter->AllocateTensors());
  *arena = interpreter->program()->arena_bytes();
  const auto first = RunOnce(*interpreter);
  EXPECT_TRUE(first);
  const auto second = RunOnce(*interpreter);
  EXPECT_TRUE(second);
  if (!first || !second) return {};
  EXPECT_EQ(*first, *second);
  return *first;
}

TEST(RandomLoopTest, OutputsHaveTheSameBitsWithTheStateInOnePlaceOrMany) {
  Bytes apart = 0;
  Bytes shared = 0;
  for (uint64_t seed = 0; seed < kModels; ++seed) {
    SCOPED_TRACE(seed);
    const ModelPointer model = RandomLoop(seed);
    ASSERT_NE(model, nullptr);
    Bytes with_off = 0;
    Bytes with_safe = 0;
    const auto outputs = OutputsOf(*model, InPlace::kOff, &with_off);
    ASSERT_FALSE(outputs.empty());
    ASSERT_EQ(outputs, OutputsOf(*model, InPlace::kSafe, &with_safe));
    apart += with_off;
    shared += with_safe;
  }
  EXPECT_LT(shared, apart);
}

TEST(RandomLoopTest, EveryOperatorComputesWhatItDoesInMemoryOfItsOwn) {
  for (uint64_t seed = 0; seed < kModels; ++seed) {
    const ModelPointer model = RandomLoop(seed);
    InterpreterOptions options;
    options.planner = PlanWithSolver;
    const auto finding =
        runtime::Audit(model->graph, options, model->facts, FillInputs, 2);
    ASSERT_TRUE(finding) << "seed " << seed << ": "
                         << finding.error().ToString();
    ASSERT_FALSE(*finding) << "seed " << seed << ": " << (**finding).ToString();
  }
}

// A random loop and where its tensors lie.
struct Case {
  ModelPointer model = {};
  schedule::MemoryNeeds needs = {};
  engines::Layout layout = {};
};

Case MakeCase(uint64_t seed) {
  Case made;
  made.model = RandomLoop(seed);
  auto needs = schedule::FindMemoryNeeds(made.model->graph, {});
  EXPECT_TRUE(needs);
  made.needs = *std::move(needs);
  const auto plan = PlanWithSolver(made.needs.problem);
  EXPECT_TRUE(plan);
  made.layout = engines::PlanStowplan(made.model->graph, made.needs, *plan);
  return made;
}

std::vector<LoopArgument> ArgumentsOf(const Case& made) {
  return FindLoopArguments(made.model->graph, made.needs.timeline,
                           made.needs.kinds, made.needs.aliases,
                           made.needs.rules);
}

// The layout with the argument's class in the output's bytes.
engines::Layout Forced(const Case& made, const LoopArgument& entry) {
  engines::Layout layout = made.layout;
  const auto piece_of = [&layout](TensorRef tensor) -> engines::Piece& {
    return layout.pieces[*layout.piece_of[tensor.subgraph.index()]
                                         [tensor.tensor.index()]];
  };
  const size_t s = entry.argument.subgraph.index();
  const auto& roots = made.needs.aliases[s].root;
  for (size_t t = 0; t < roots.size(); ++t) {
    if (roots[t] != entry.argument.tensor) continue;
    piece_of({entry.argument.subgraph, graph::TensorId::FromIndex(t)}).offset =
        piece_of(entry.output).offset;
  }
  return layout;
}

TEST(RandomLoopTest, TheJudgeFindsNothingAndFindsWhatTheRuleForbids) {
  int together = 0;
  int written = 0;   // Forced on a condition that writes over it.
  int returned = 0;  // Forced on a body that returns it in another place.
  int faults = 0;    // Of those, found.
  for (uint64_t seed = 0; seed < kModels; ++seed) {
    SCOPED_TRACE(seed);
    const Case made = MakeCase(seed);
    const auto replay = ReplayPlan(made.model->graph, made.layout);
    ASSERT_TRUE(replay.ok())
        << Describe(made.model->graph, replay.violations.front());
    for (const LoopArgument& entry : ArgumentsOf(made)) {
      if (entry.apart_because.empty()) ++together;
      const bool by_condition =
          entry.apart_because == "the condition writes over it";
      const bool by_result =
          entry.apart_because.find("result") != std::string_view::npos;
      if (!by_condition && !by_result) continue;
      const bool found =
          !ReplayPlan(made.model->graph, Forced(made, entry)).ok();
      if (by_condition) {
        ++written;
        EXPECT_TRUE(found);
      } else {
        ++returned;
        faults += found ? 1 : 0;
      }
    }
  }
  EXPECT_GT(together, 1000);
  EXPECT_GT(written, 50);
  // A value that is returned twice does no harm where the copies come late.
  EXPECT_GT(returned, 100);
  EXPECT_GT(faults, returned / 4);
}

}  // namespace
}  // namespace stowplan::tests
