// SPDX-License-Identifier: Apache-2.0
//
// A user's planner in place of the solver: it need not be good, and it cannot
// be wrong unseen.
#include <gtest/gtest.h>

#include <cmath>

#include "stowplan/runtime/test_models.h"

namespace stowplan::runtime {
namespace {

// One behind the other, without any reuse.
Result<plan::Plan> Naive(const plan::Problem& problem) {
  plan::Plan plan;
  Bytes next = 0;
  for (const plan::Buffer& buffer : problem.buffers()) {
    plan.offsets.push_back(next);
    next += buffer.size;
  }
  return plan;
}

// Everything at the beginning.
Result<plan::Plan> Careless(const plan::Problem& problem) {
  return plan::Plan{std::vector<Bytes>(problem.size(), 0)};
}

// x --NEG--> a, x --EXP--> b, a + b --ADD--> y; three at a time.
graph::Model Diamond() {
  graph::Model model;
  graph::Subgraph& subgraph = model.subgraphs.emplace_back();
  for (const char* name : {"x", "a", "b", "y"}) {
    subgraph.tensors.push_back(MakeTensor(name, {16, 16}));
  }
  AddOperator(subgraph, "NEG", {0}, {1});
  AddOperator(subgraph, "EXP", {0}, {2});
  AddOperator(subgraph, "ADD", {1, 2}, {3});
  subgraph.inputs = {graph::TensorId(0)};
  subgraph.outputs = {graph::TensorId(3)};
  return model;
}

InterpreterOptions With(Planner planner) {
  InterpreterOptions options;
  options.planner = std::move(planner);
  options.rules.in_place = schedule::InPlace::kOff;
  return options;
}

TEST(PlannerTest, ANaivePlanRunsInMoreMemoryToTheSameResult) {
  const graph::Model model = Diamond();
  auto naive = MakeInterpreter(model, With(Naive));
  auto solved = MakeInterpreter(model, With(FirstFit));
  for (Interpreter* interpreter : {naive.get(), solved.get()}) {
    ASSERT_TRUE(interpreter->AllocateTensors());
    SetAll(*interpreter, 0, 1.0f);
    ASSERT_TRUE(interpreter->Invoke());
    EXPECT_NEAR(First(interpreter->output(0).value()), std::exp(1.0f) - 1,
                1e-6);
  }
  EXPECT_EQ(naive->memory().arena, 4 * 1024);
  EXPECT_EQ(solved->memory().arena, 3 * 1024);
}

TEST(PlannerTest, AWrongPlanIsRefusedWithTheBuffersThatCollide) {
  const graph::Model model = Diamond();
  auto interpreter = MakeInterpreter(model, With(Careless));
  const Status status = interpreter->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where, "planner");
  EXPECT_NE(status.error().what.find("both use bytes [0, 1024)"),
            std::string::npos)
      << status.error().ToString();
  EXPECT_FALSE(interpreter->Invoke());
  EXPECT_EQ(interpreter->memory().arena_held, 0);
}

TEST(PlannerTest, APlanOfTheWrongLengthOrAlignmentIsRefused) {
  const graph::Model model = Diamond();
  const auto short_by_one =
      [](const plan::Problem& problem) -> Result<plan::Plan> {
    STOWPLAN_TRY(plan, Naive(problem));
    plan.offsets.pop_back();
    return plan;
  };
  const auto off_by_four =
      [](const plan::Problem& problem) -> Result<plan::Plan> {
    STOWPLAN_TRY(plan, Naive(problem));
    for (Bytes& offset : plan.offsets) offset += 4;
    return plan;
  };
  for (const Planner& planner : {Planner(short_by_one), Planner(off_by_four)}) {
    auto interpreter = MakeInterpreter(model, With(planner));
    const Status status = interpreter->AllocateTensors();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().where, "planner") << status.error().ToString();
  }
}

TEST(PlannerTest, APlannersOwnErrorIsPassedOn) {
  const graph::Model model = Diamond();
  const auto full = [](const plan::Problem&) -> Result<plan::Plan> {
    return UsageError("my planner", "it is closed today");
  };
  auto interpreter = MakeInterpreter(model, With(full));
  const Status status = interpreter->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().ToString(), "my planner: it is closed today");
}

TEST(PlannerTest, ItIsAskedOnceForEachShape) {
  const graph::Model model = Diamond();
  int asked = 0;
  auto interpreter =
      MakeInterpreter(model, With([&](const plan::Problem& problem) {
                        ++asked;
                        return Naive(problem);
                      }));
  for (int64_t rows : {16, 8, 16, 8, 16}) {
    ASSERT_TRUE(interpreter->ResizeInput(0, {rows, 16}));
    ASSERT_TRUE(interpreter->AllocateTensors());
    EXPECT_EQ(interpreter->memory().arena, 4 * rows * 64);
  }
  EXPECT_EQ(asked, 2);
}

// The plan with an input in the caller's memory is none for one without.
TEST(PlannerTest, PlansAreNotMixedUpWhenAnInputMoves) {
  const graph::Model model = Diamond();
  auto interpreter = MakeInterpreter(model, With(FirstFit));
  alignas(64) float mine[256];
  for (int round = 0; round < 4; ++round) {
    const bool outside = round % 2 == 0;
    ASSERT_TRUE(interpreter->UseMemoryForInput(
        0, outside ? std::as_writable_bytes(std::span(mine))
                   : std::span<std::byte>()));
    const Status status = interpreter->AllocateTensors();
    ASSERT_TRUE(status) << status.error().ToString();
    SetAll(*interpreter, 0, 1.0f);
    ASSERT_TRUE(interpreter->Invoke());
    EXPECT_NEAR(First(interpreter->output(0).value()), std::exp(1.0f) - 1,
                1e-6);
  }
}

TEST(PlanCacheTest, ForgetsTheOneThatWasNotUsedForLongest) {
  PlanCache cache(2);
  const auto key = [](int64_t size) { return PlanCache::Key{{{size}}, {}}; };
  cache.Add(key(1), plan::Plan{{1}});
  cache.Add(key(2), plan::Plan{{2}});
  ASSERT_NE(cache.Find(key(1)), nullptr);
  cache.Add(key(3), plan::Plan{{3}});
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.Find(key(2)), nullptr);
  EXPECT_EQ(cache.Find(key(1))->offsets, std::vector<Bytes>{1});
  EXPECT_EQ(cache.Find(key(3))->offsets, std::vector<Bytes>{3});
  PlanCache none(0);
  none.Add(key(1), plan::Plan{{1}});
  EXPECT_EQ(none.Find(key(1)), nullptr);
}

}  // namespace
}  // namespace stowplan::runtime
