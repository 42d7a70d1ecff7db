// SPDX-License-Identifier: Apache-2.0
//
// The public models, where they are at hand: every run is audited, and none
// asks the heap for memory but the first, nor that one in the caller's memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "stowplan/base/checked_math.h"
#include "stowplan/profile/allocation_watch.h"
#include "stowplan/runtime/audit.h"
#include "stowplan/runtime/random_input.h"
#include "tests/litert/model_file.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

namespace fs = std::filesystem;

// Over a billion multiplications each: tests of their own, for builds that are
// made for speed or when asked for.
const std::set<std::string> kHeavyModels = {
    "mlperfmobile_edsr_f32b5_int8",
    "mlperfmobile_deeplabv3_ade20k_int8",
    "style_transfer_int8",
    "superres_x4_int8",
    "det640_f32",
    "det640_int8",
};

// Those that may not run, so that no other stops running unnoticed.
const std::set<std::string> kDoNotRun = {
    // Custom operators that nobody but their maker has.
    "coral_posenet_353x481_u8",
    "mlperfmobile_mobile_segmenter_u8",
    "mp_face_landmark_attention_f16",
    "mp_hair_segmentation_f32",
    "mp_selfie_segmentation_f16",
    "tflm_audio_preprocessor_int8",
    "sparse_tensor",
    // Broken, or not to be run by LiteRT either.
    "0_subgraphs",
    "add_shared_tensors",
    "blockwise_quantized",
    "svdf_quantized",
    // An input of strings, which has no seed.
    "while_op_with_forwarding_input",
};

enum class Weight { kLight, kHeavy };

bool RunsHeavyModels() {
#ifdef NDEBUG
  return true;
#else
  return std::getenv("STOWPLAN_HEAVY") != nullptr;
#endif
}

#define SKIP_HEAVY_IN_SLOW_BUILDS()                                        \
  if (!RunsHeavyModels()) {                                                \
    GTEST_SKIP() << "six models are too slow for a build with assertions " \
                    "or sanitizers; set STOWPLAN_HEAVY=1 to run them";     \
  }

Status FillInputs(runtime::Interpreter& interpreter) {
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter.input(i));
    STOWPLAN_RETURN_IF_ERROR(
        runtime::FillRandom(42, i, input.dtype, input.data));
  }
  return {};
}

runtime::InterpreterOptions Options() {
  runtime::InterpreterOptions options;
  options.planner = tests::PlanWithSolver;
  return options;
}

// An interpreter with its memory and inputs; null for a model that does not
// run, or whose inputs are strings, which have no seed.
std::unique_ptr<runtime::Interpreter> Ready(
    const tests::ModelFile& model, runtime::InterpreterOptions options) {
  auto interpreter = runtime::Interpreter::Create(
      model.graph, std::move(options), model.facts);
  if (!interpreter || !(*interpreter)->AllocateTensors()) return nullptr;
  if (!FillInputs(**interpreter)) return nullptr;
  return *std::move(interpreter);
}

// Calls use(name, model, interpreter) for each model that runs.
template <class Use>
int ForEachModel(Weight weight, const Use& use) {
  int count = 0;
  for (const char* folder : {"models", "models/generated", "models/unit"}) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(SharedFolder() / folder)) {
      if (entry.path().extension() == ".tflite") paths.push_back(entry);
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      const bool heavy = kHeavyModels.count(path.stem()) != 0;
      if (heavy != (weight == Weight::kHeavy)) continue;
      auto model = tests::ModelFile::Read(path);
      const auto interpreter = model ? Ready(**model, Options()) : nullptr;
      EXPECT_EQ(interpreter == nullptr, kDoNotRun.count(path.stem()) != 0)
          << path.stem();
      if (interpreter == nullptr) continue;
      use(path.stem().string(), **model, *interpreter);
      ++count;
    }
  }
  return count;
}

int AuditAll(Weight weight) {
  return ForEachModel(
      weight, [](const std::string& name, const tests::ModelFile& model,
                 runtime::Interpreter&) {
        const auto finding =
            runtime::Audit(model.graph, Options(), model.facts, FillInputs, 2);
        ASSERT_TRUE(finding) << name << ": " << finding.error().ToString();
        EXPECT_FALSE(*finding) << name << ": " << (**finding).ToString();
      });
}

// Runs twice; from run `first` on, from 0, nothing may ask the heap.
void ExpectNoHeap(const std::string& name, runtime::Interpreter& interpreter,
                  int first) {
  profile::AllocationWatch watch;
  for (int run = 0; run < 2; ++run) {
    if (run == first) interpreter.SetObserver(&watch);
    ASSERT_TRUE(FillInputs(interpreter)) << name;
    const auto before = profile::AllocationsOfThread();
    const Status status = interpreter.Invoke();
    const auto count = profile::AllocationsOfThread() - before;
    ASSERT_TRUE(status) << name << ": " << status.error().ToString();
    if (run < first) continue;
    EXPECT_EQ(count.calls, 0)
        << name << ", operator "
        << (watch.offender() ? watch.offender()->type : "none");
  }
}

// Memory that the caller owns, at a multiple of 64.
class CallersMemory {
 public:
  explicit CallersMemory(Bytes size)
      : size_(static_cast<size_t>(std::max<Bytes>(AlignUp(size, 64), 64))),
        data_(static_cast<std::byte*>(std::aligned_alloc(64, size_)),
              &std::free) {}
  std::span<std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  size_t size_;
  std::unique_ptr<std::byte, void (*)(void*)> data_;
};

// How many models have no dynamic tensors.
int ExpectNoHeapInAnyRun(Weight weight) {
  int count = 0;
  ForEachModel(weight,
               [&](const std::string& name, const tests::ModelFile& model,
                   runtime::Interpreter& own) {
                 const runtime::Program& program = *own.program();
                 if (!program.needs().kinds.dynamic.empty()) return;
                 ++count;
                 const CallersMemory arena(program.arena_bytes());
                 const CallersMemory persistent(program.persistent_bytes());
                 ExpectNoHeap(name, own, 1);
                 runtime::InterpreterOptions options = Options();
                 options.arena = arena.bytes();
                 options.persistent = persistent.bytes();
                 const auto given = Ready(model, std::move(options));
                 ASSERT_NE(given, nullptr) << name;
                 ExpectNoHeap(name + " in the caller's memory", *given, 0);
               });
  return count;
}

#define SKIP_WITHOUT_COUNTING()                             \
  if (!profile::CountsAllocations()) {                      \
    GTEST_SKIP() << "malloc is not replaced in this build"; \
  }

TEST(CorpusRunTest, EveryPlanIsBitIdenticalToMemoryOfItsOwn) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models/generated");
  EXPECT_GE(AuditAll(Weight::kLight), 90);
}

TEST(CorpusRunTest, EveryPlanOfAHeavyModelIsBitIdenticalToMemoryOfItsOwn) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models/generated");
  SKIP_HEAVY_IN_SLOW_BUILDS();
  EXPECT_EQ(AuditAll(Weight::kHeavy), static_cast<int>(kHeavyModels.size()));
}

TEST(CorpusRunTest, NoRunAfterTheFirstUsesTheHeapNorAnyInTheCallersMemory) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models/generated");
  SKIP_WITHOUT_COUNTING();
  EXPECT_GE(ExpectNoHeapInAnyRun(Weight::kLight), 80);
}

TEST(CorpusRunTest, NoRunOfAHeavyModelUsesTheHeapEither) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models/generated");
  SKIP_HEAVY_IN_SLOW_BUILDS();
  SKIP_WITHOUT_COUNTING();
  EXPECT_EQ(ExpectNoHeapInAnyRun(Weight::kHeavy),
            static_cast<int>(kHeavyModels.size()));
}

}  // namespace
}  // namespace stowplan
