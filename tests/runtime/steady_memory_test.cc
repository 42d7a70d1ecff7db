// SPDX-License-Identifier: Apache-2.0
//
// Memory after a thousand resizes and ten thousand runs is what the plan says
// and nothing besides.
#include <functional>

#include "stowplan/profile/allocation_count.h"
#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

using profile::HeapOfProcess;
using runtime::Interpreter;
using runtime::InterpreterOptions;
using runtime::MemoryUse;
using runtime::Shrink;

constexpr int kResizes = 1000;
constexpr int kInvokes = 10000;
constexpr int kShapes = 10;
// malloc may round one and the same size up differently from time to time.
constexpr int64_t kRounding = 4096;

// A model and how its first input looks in each of ten sizes.
struct Resizable {
  std::string name;
  ModelPointer model;
  std::function<graph::Shape(int64_t)> shape;
};

void AddShared(std::vector<Resizable>& cases, const std::string& name,
               std::function<graph::Shape(int64_t)> shape) {
  if (ModelPointer model = SharedModel(name)) {
    cases.push_back({name, std::move(model), std::move(shape)});
  }
}

std::vector<Resizable> AllResizable() {
  std::vector<Resizable> cases;
  cases.push_back(
      {"dynamic_shape", ModelOf(examples::DynamicShape()), [](int64_t i) {
         return graph::Shape{3 * i, 16};
       }});
  cases.push_back(
      {"four_operators", ModelOf(examples::FourOperators()), [](int64_t i) {
         return graph::Shape{i, 8, 4 * i, 1};
       }});
  AddShared(cases, "mlperf_kws_dscnn_int8", [](int64_t i) {
    return graph::Shape{i, 49, 10, 1};
  });
  AddShared(cases, "text_nl_classifier_f32", [](int64_t i) {
    return graph::Shape{1, 32 * i};
  });
  AddShared(cases, "generated/if_branch_f32", [](int64_t i) {
    return graph::Shape{1, 8 * i, 96, 3};
  });
  AddShared(cases, "generated/lstm_stream_fused_hybrid", [](int64_t i) {
    return graph::Shape{1, 5 * i, 40};
  });
  AddShared(cases, "mp_face_detection_short_f16", [](int64_t i) {
    return graph::Shape{1, 64, 32 * i, 3};
  });
  return cases;
}

struct Counted {
  MemoryUse use;
  int64_t heap = 0;  // Besides the arena and persistent memory.
};

Counted Count(const Interpreter& interpreter) {
  Counted counted = {interpreter.memory(), 0};
  counted.heap = HeapOfProcess().live_bytes - counted.use.arena_held -
                 counted.use.persistent_held - counted.use.overflow_held;
  return counted;
}

// What an interpreter needs that never had another shape.
MemoryUse Fresh(const Resizable& model, const graph::Shape& shape,
                const runtime::Planner& planner) {
  InterpreterOptions options;
  options.planner = planner;
  auto interpreter = MakeInterpreter(*model.model, options);
  EXPECT_TRUE(interpreter->ResizeInput(0, shape));
  const Status status = interpreter->AllocateTensors();
  EXPECT_TRUE(status) << model.name << ": " << status.error().ToString();
  return interpreter->memory();
}

void ResizeOften(const Resizable& model, Shrink shrink) {
  SCOPED_TRACE(model.name);
  const runtime::Planner planner = RememberingPlanner();
  std::vector<MemoryUse> planned;
  std::vector<Counted> first(kShapes);
  Bytes most = 0;
  for (int i = 0; i < kShapes; ++i) {
    planned.push_back(Fresh(model, model.shape(i + 1), planner));
    most = std::max(most, planned.back().arena);
  }
  InterpreterOptions options;
  options.planner = planner;
  options.shrink = shrink;
  auto interpreter = MakeInterpreter(*model.model, options);
  for (int round = 0; round < kResizes; ++round) {
    const int i = round * 7 % kShapes;  // Up and down.
    ASSERT_TRUE(interpreter->ResizeInput(0, model.shape(i + 1)));
    const Status status = interpreter->AllocateTensors();
    ASSERT_TRUE(status) << status.error().ToString();
    const Counted now = Count(*interpreter);
    const MemoryUse& plan = planned[static_cast<size_t>(i)];
    ASSERT_EQ(now.use.arena, plan.arena);
    ASSERT_EQ(now.use.persistent, plan.persistent);
    ASSERT_EQ(now.use.overflow_held, 0);
    if (shrink == Shrink::kShrink) {
      ASSERT_EQ(now.use.arena_held, plan.arena_held);
    } else {
      ASSERT_LE(now.use.arena_held, most);
      ASSERT_GE(now.use.arena_held, plan.arena);
    }
    if (round < 2 * kShapes) first[static_cast<size_t>(i)] = now;
    ASSERT_NEAR(static_cast<double>(now.heap),
                static_cast<double>(first[static_cast<size_t>(i)].heap),
                static_cast<double>(kRounding))
        << "after " << round + 1 << " resizes";
  }
  EXPECT_EQ(interpreter->memory().cached_plans, size_t{kShapes});
}

TEST(SteadyMemoryTest, AThousandResizesEndInThePlansFigureShrinking) {
  for (const Resizable& model : AllResizable()) {
    ResizeOften(model, Shrink::kShrink);
  }
}

TEST(SteadyMemoryTest, AThousandResizesEndInThePlansFigureKeeping) {
  for (const Resizable& model : AllResizable()) {
    ResizeOften(model, Shrink::kKeep);
  }
}

// Each shape also gives what an interpreter gives that was never resized.
TEST(SteadyMemoryTest, ResizedInterpretersGiveTheResultsOfFreshOnes) {
  for (const Resizable& model : AllResizable()) {
    SCOPED_TRACE(model.name);
    auto resized = MakeInterpreter(*model.model);
    for (int64_t size : {1, 3, 2, 3, 1}) {
      ASSERT_TRUE(resized->ResizeInput(0, model.shape(size)));
      ASSERT_TRUE(resized->AllocateTensors());
      auto fresh = MakeInterpreter(*model.model);
      ASSERT_TRUE(fresh->ResizeInput(0, model.shape(size)));
      ASSERT_TRUE(fresh->AllocateTensors());
      const auto ours = RunOnce(*resized);
      const auto theirs = RunOnce(*fresh);
      ASSERT_TRUE(ours && theirs);
      EXPECT_EQ(*ours, *theirs) << "size " << size;
    }
  }
}

void InvokeOften(const std::string& name, const ModelFile& model) {
  SCOPED_TRACE(name);
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->AllocateTensors());
  ASSERT_TRUE(RunOnce(*interpreter));
  ASSERT_TRUE(RunOnce(*interpreter));  // Overflow is one block from here on.
  const bool dynamic = !interpreter->program()->needs().kinds.dynamic.empty();
  const Counted before = Count(*interpreter);
  const profile::AllocationCount count = profile::AllocationsOfThread();
  for (int run = 0; run < kInvokes; ++run) {
    ASSERT_TRUE(FillInputs(*interpreter));
    ASSERT_TRUE(interpreter->Invoke());
  }
  if (!dynamic) {
    EXPECT_EQ((profile::AllocationsOfThread() - count).calls, 0);
  }
  const Counted after = Count(*interpreter);
  EXPECT_EQ(after.use.arena_held, before.use.arena_held);
  EXPECT_EQ(after.use.persistent_held, before.use.persistent_held);
  EXPECT_EQ(after.use.overflow_held, before.use.overflow_held);
  EXPECT_EQ(after.use.overflow, before.use.overflow);
  EXPECT_EQ(after.use.overflow_growths, before.use.overflow_growths);
  EXPECT_NEAR(static_cast<double>(after.heap), static_cast<double>(before.heap),
              dynamic ? static_cast<double>(kRounding) : 0.0);
}

TEST(SteadyMemoryTest, TenThousandRunsLeaveTheCountedBytesWhereTheyWere) {
  InvokeOften("four_operators", *ModelOf(examples::FourOperators()));
  InvokeOften("dynamic_shape", *ModelOf(examples::DynamicShape()));
  for (const char* name :
       {"tflm_hello_world_int8", "mlperf_ad01_int8", "mww_vad_int8",
        "text_nl_classifier_f32", "unit/simple_topk_op_runtime_k",
        "unit/multi_subgraphs_while", "unit/call_once_mul"}) {
    if (const ModelPointer model = SharedModel(name)) {
      InvokeOften(name, *model);
    }
  }
}

// 12 MiB and 18 MiB would be 30 if they were there at the same time.
TEST(SteadyMemoryTest, OldAndNewArenaNeverCoexist) {
  if (!profile::CountsAllocations()) {
    GTEST_SKIP() << "malloc is not replaced in this build";
  }
  const ModelPointer model = ModelOf(examples::FourOperators());
  constexpr int64_t kMiB = int64_t{1} << 20;
  for (Shrink shrink : {Shrink::kShrink, Shrink::kKeep}) {
    InterpreterOptions options;
    options.shrink = shrink;
    auto interpreter = MakeInterpreter(*model, options);
    const int64_t before = HeapOfProcess().live_bytes;
    Bytes largest = 0;
    for (int64_t height : {4096, 6144, 5120, 6144, 4096}) {
      ASSERT_TRUE(interpreter->ResizeInput(0, {1, height, 1024, 1}));
      profile::ResetHeapPeak();
      const Bytes held = interpreter->memory().arena_held;
      ASSERT_TRUE(interpreter->AllocateTensors());
      const MemoryUse use = interpreter->memory();
      largest = std::max(largest, use.arena);
      EXPECT_GE(use.arena, 3 * height * 1024);
      EXPECT_LE(HeapOfProcess().peak_bytes - before,
                std::max(held, use.arena_held) + kMiB)
          << "height " << height;
      EXPECT_LE(use.arena_held,
                shrink == Shrink::kShrink ? use.arena : largest);
    }
  }
}

// Each shape is new: plans are forgotten, the one used last stays.
TEST(SteadyMemoryTest, ManyShapesDoNotGrowTheListOfPlans) {
  const ModelPointer model = ModelOf(examples::FourOperators());
  int solved = 0;
  InterpreterOptions options;
  options.cached_plans = 4;
  options.planner = [&](const plan::Problem& problem) {
    ++solved;
    return PlanWithSolver(problem);
  };
  auto interpreter = MakeInterpreter(*model, options);
  const auto resize = [&](int64_t size) {
    EXPECT_TRUE(interpreter->ResizeInput(0, {1, size, 8, 1}));
    EXPECT_TRUE(interpreter->AllocateTensors());
  };
  int64_t heap = 0;
  for (int64_t size = 1; size <= 200; ++size) {
    resize(8 + size % 100);
    if (size == 100) heap = Count(*interpreter).heap;
    EXPECT_LE(interpreter->memory().cached_plans, 4u);
  }
  EXPECT_EQ(solved, 200);
  EXPECT_NEAR(static_cast<double>(Count(*interpreter).heap),
              static_cast<double>(heap), static_cast<double>(kRounding));
  resize(8 + 99);  // The one before the last.
  EXPECT_EQ(solved, 200);
  resize(8 + 50);
  EXPECT_EQ(solved, 201);
}

}  // namespace
}  // namespace stowplan::tests
