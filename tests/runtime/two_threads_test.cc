// SPDX-License-Identifier: Apache-2.0
//
// Interpreters in two threads over one mapped file. Made for the thread
// sanitizer; the mapping is read-only, so that a write into weights ends any
// build.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

// Shared by all interpreters: nothing of it is ever written.
struct Mapped {
  explicit Mapped(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_GE(file, 0) << path;
    size = static_cast<size_t>(lseek(file, 0, SEEK_END));
    begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    EXPECT_NE(begin, MAP_FAILED);
    const std::span<const std::byte> bytes(static_cast<std::byte*>(begin),
                                           size);
    auto view = tflite::ModelView::Open(bytes);
    EXPECT_TRUE(view) << view.error().ToString();
    auto imported = model::Import(*view);
    EXPECT_TRUE(imported) << imported.error().ToString();
    graph = *std::move(imported);
    facts = std::make_shared<runtime::FileFacts>(*view);
  }
  ~Mapped() { munmap(begin, size); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  void* begin = nullptr;
  size_t size = 0;
  graph::Model graph;
  std::shared_ptr<const runtime::FileFacts> facts;
};

// What one thread sees: the outputs of each run, or the error.
struct Seen {
  std::vector<std::vector<std::byte>> outputs;
  std::string error;
};

constexpr int kRuns = 4;

Result<Seen> Run(const Mapped& model) {
  runtime::InterpreterOptions options;
  options.planner = PlanWithSolver;
  STOWPLAN_TRY(interpreter,
               runtime::Interpreter::Create(model.graph, options, model.facts));
  Seen seen;
  for (int run = 0; run < kRuns; ++run) {
    STOWPLAN_RETURN_IF_ERROR(interpreter->AllocateTensors());
    STOWPLAN_TRY(outputs, RunOnce(*interpreter));
    seen.outputs.push_back(std::move(outputs));
    if (run == 1) interpreter->ReleaseNonPersistent();
  }
  return seen;
}

Seen RunOrSay(const Mapped& model) {
  Result<Seen> seen = Run(model);
  return seen ? *std::move(seen) : Seen{{}, seen.error().ToString()};
}

void RunInTwoThreads(const std::string& name, const std::string& path) {
  SCOPED_TRACE(name);
  const Mapped model(path);
  const Seen alone = RunOrSay(model);
  ASSERT_EQ(alone.error, "");
  std::atomic<int> ready = 0;
  std::array<Seen, 2> seen;
  std::array<std::thread, 2> threads;
  for (size_t i = 0; i < 2; ++i) {
    threads[i] = std::thread([&, i] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      seen[i] = RunOrSay(model);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Seen& each : seen) {
    EXPECT_EQ(each.error, "");
    EXPECT_EQ(each.outputs, alone.outputs);
  }
}

TEST(TwoThreadsTest, InterpretersOverOneMappedFileDoNotMeet) {
  const std::string folder = ::testing::TempDir();
  for (const examples::Example& example : examples::AllExamples()) {
    const std::string name(example.name);
    // Too large for a sanitizer.
    if (name.find("detector") == 0 || name.find("mobilenet") == 0) continue;
    const auto bytes = example.make();
    ASSERT_TRUE(bytes);
    const std::string path = folder + "two_threads_" + name + ".tflite";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes->data()),
               static_cast<std::streamsize>(bytes->size()));
    RunInTwoThreads(name, path);
    std::remove(path.c_str());
  }
}

TEST(TwoThreadsTest, InterpretersOverOnePublicModelDoNotMeet) {
  STOWPLAN_SKIP_WITHOUT(SharedFolder() / "models/generated");
  for (const char* name :
       {"mlperf_kws_dscnn_int8", "mlperf_kws_dscnn_hybrid",
        "arm_kws_lstm_s_int8", "tflm_keyword_scrambled_svdf",
        "lyra_quantizer_multisig", "generated/lstm_gru_resvar_f32",
        "generated/lstm_stream_fused_int8", "generated/dynamic_nlp_f32",
        "generated/while_loop_f32", "generated/torch_llm_int4b32",
        "mp_face_detection_short_f16", "unit/call_once_mul"}) {
    RunInTwoThreads(
        name, SharedFolder() / "models" / (std::string(name) + ".tflite"));
  }
}

}  // namespace
}  // namespace stowplan::tests
