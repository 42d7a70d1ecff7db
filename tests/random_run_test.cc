// SPDX-License-Identifier: Apache-2.0
//
// Models with random operators, types, shapes and options: whatever the plan
// puts on top of each other, every operator computes what it does in memory
// of its own, and no run after the first asks the heap for memory.
#include <gtest/gtest.h>

#include "stowplan/profile/allocation_count.h"
#include "stowplan/runtime/audit.h"
#include "stowplan/runtime/random_input.h"
#include "tests/litert/model_file.h"
#include "tests/random/random_model.h"

namespace stowplan {
namespace {

using tests::Family;
using tests::ModelFile;

// Up to eight operators, so that views and overwrites meet.
std::unique_ptr<ModelFile> RandomFile(uint64_t seed, Family family) {
  tests::RandomModel model(seed, family);
  const int operators = model.Between(2, 8);
  for (int i = 0; i < operators; ++i) {
    const Status status = tests::AddRandomOperator(&model, "");
    EXPECT_TRUE(status) << status.error().ToString();
  }
  const auto bytes = model.Build();
  EXPECT_TRUE(bytes);
  auto file = ModelFile::Parse(
      {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  EXPECT_TRUE(file) << file.error().ToString();
  return std::move(*file);
}

Status FillInputs(runtime::Interpreter& interpreter) {
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter.input(i));
    STOWPLAN_RETURN_IF_ERROR(
        runtime::FillRandom(7, i, input.dtype, input.data));
  }
  return {};
}

class RandomRunTest : public ::testing::TestWithParam<Family> {};

TEST_P(RandomRunTest, EveryPlanIsBitIdenticalToMemoryOfItsOwn) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto file = RandomFile(seed, GetParam());
    runtime::InterpreterOptions options;
    options.planner = tests::PlanWithSolver;
    if (seed % 2 == 1) options.arithmetic = kernels::Arithmetic::kLiteRt;
    const auto finding =
        runtime::Audit(file->graph, options, file->facts, FillInputs, 2);
    ASSERT_TRUE(finding) << "seed " << seed << ": "
                         << finding.error().ToString();
    ASSERT_FALSE(*finding) << "seed " << seed << ": " << (**finding).ToString();
  }
}

TEST_P(RandomRunTest, NoRunAfterTheFirstUsesTheHeap) {
  if (!profile::CountsAllocations()) {
    GTEST_SKIP() << "malloc is not replaced in this build";
  }
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto file = RandomFile(seed, GetParam());
    runtime::InterpreterOptions options;
    options.planner = tests::PlanWithSolver;
    auto created =
        runtime::Interpreter::Create(file->graph, options, file->facts);
    ASSERT_TRUE(created) << created.error().ToString();
    runtime::Interpreter& interpreter = **created;
    ASSERT_TRUE(interpreter.AllocateTensors());
    ASSERT_TRUE(FillInputs(interpreter));
    ASSERT_TRUE(interpreter.Invoke());
    ASSERT_TRUE(FillInputs(interpreter));
    const auto before = profile::AllocationsOfThread();
    ASSERT_TRUE(interpreter.Invoke());
    EXPECT_EQ((profile::AllocationsOfThread() - before).calls, 0)
        << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, RandomRunTest,
                         ::testing::Values(Family::kFloat, Family::kHybrid,
                                           Family::kInt8, Family::kUInt8,
                                           Family::kInt16, Family::kInt32));

}  // namespace
}  // namespace stowplan
