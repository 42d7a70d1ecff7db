// SPDX-License-Identifier: Apache-2.0
//
// The public models, where they are at hand: every run is audited, and no run
// after the first asks the heap for memory.
#include <gtest/gtest.h>

#include <set>

#include "stowplan/profile/allocation_watch.h"
#include "stowplan/runtime/audit.h"
#include "stowplan/runtime/random_input.h"
#include "tests/litert/model_file.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

namespace fs = std::filesystem;

// Over a billion multiplications each: too slow to run four times here.
const std::set<std::string> kHeavy = {
    "mlperfmobile_edsr_f32b5_int8",
    "mlperfmobile_deeplabv3_ade20k_int8",
    "style_transfer_int8",
    "superres_x4_int8",
    "det640_f32",
    "det640_int8",
};

Status FillInputs(runtime::Interpreter& interpreter) {
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter.input(i));
    STOWPLAN_RETURN_IF_ERROR(
        runtime::FillRandom(42, i, input.dtype, input.data));
  }
  return {};
}

// Calls use(name, model) for each model that runs.
template <class Use>
int ForEachModel(const Use& use) {
  int count = 0;
  for (const char* folder : {"models", "models/generated", "models/unit"}) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(SharedFolder() / folder)) {
      if (entry.path().extension() == ".tflite") paths.push_back(entry);
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      if (kHeavy.count(path.stem()) != 0) continue;
      auto model = tests::ModelFile::Read(path);
      if (!model) continue;
      runtime::InterpreterOptions options;
      options.planner = tests::PlanWithSolver;
      auto interpreter = runtime::Interpreter::Create((*model)->graph, options,
                                                      (*model)->facts);
      if (!interpreter || !(*interpreter)->AllocateTensors()) continue;
      if (!FillInputs(**interpreter)) continue;  // Strings have no seed.
      use(path.stem().string(), **model, **interpreter);
      ++count;
    }
  }
  return count;
}

TEST(CorpusRunTest, EveryPlanIsBitIdenticalToMemoryOfItsOwn) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models/generated");
  const int count =
      ForEachModel([](const std::string& name, const tests::ModelFile& model,
                      runtime::Interpreter&) {
        runtime::InterpreterOptions options;
        options.planner = tests::PlanWithSolver;
        const auto finding =
            runtime::Audit(model.graph, options, model.facts, FillInputs, 2);
        ASSERT_TRUE(finding) << name << ": " << finding.error().ToString();
        EXPECT_FALSE(*finding) << name << ": " << (**finding).ToString();
      });
  EXPECT_GE(count, 90);
}

TEST(CorpusRunTest, NoRunAfterTheFirstUsesTheHeap) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models/generated");
  if (!profile::CountsAllocations()) {
    GTEST_SKIP() << "malloc is not replaced in this build";
  }
  ForEachModel([](const std::string& name, const tests::ModelFile&,
                  runtime::Interpreter& interpreter) {
    if (!interpreter.program()->needs().kinds.dynamic.empty()) return;
    profile::AllocationWatch watch;
    for (int run = 0; run < 2; ++run) {
      ASSERT_TRUE(FillInputs(interpreter)) << name;
      const auto before = profile::AllocationsOfThread();
      const Status status = interpreter.Invoke();
      ASSERT_TRUE(status) << name << ": " << status.error().ToString();
      const auto count = profile::AllocationsOfThread() - before;
      if (run > 0) {
        EXPECT_EQ(count.calls, 0)
            << name << ", operator "
            << (watch.offender() ? watch.offender()->type : "none");
      }
      interpreter.SetObserver(&watch);
    }
  });
}

}  // namespace
}  // namespace stowplan
