// SPDX-License-Identifier: Apache-2.0
//
// Every amount of memory that is too little: from none on in steps of 64
// bytes, each is one error that says exactly how many bytes are missing, until
// there is enough. Under the sanitizers this also shows that nothing leaks and
// nothing is written outside of what was given.
#include <array>
#include <charconv>
#include <functional>

#include "stowplan/profile/allocation_count.h"
#include "tests/runtime/runtime_case.h"

// A request that no machine can serve is answered with null, as without the
// sanitizer.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace stowplan::tests {
namespace {

using runtime::InterpreterOptions;
using runtime::MemoryUse;

constexpr size_t kUnit = 64;

struct Case {
  std::string name;
  ModelPointer model;
};

// Small ones: convolutions, persistent state, control flow, integers.
std::vector<Case> AllCases() {
  std::vector<Case> cases;
  cases.push_back({"four_operators", ModelOf(examples::FourOperators())});
  cases.push_back({"lstm_state", ModelOf(examples::LstmState())});
  cases.push_back({"while_loop", ModelOf(examples::WhileLoop())});
  cases.push_back({"if_branch", ModelOf(examples::IfBranch())});
  for (const char* name :
       {"tflm_hello_world_int8", "mlperf_kws_dscnn_int8",
        "tflm_keyword_scrambled_svdf", "arm_kws_lstm_s_int8",
        "generated/lstm_gru_resvar_f32", "generated/lstm_stream_fused_int8",
        "unit/call_once_mul"}) {
    if (ModelPointer model = SharedModel(name)) {
      cases.push_back({name, std::move(model)});
    }
  }
  return cases;
}

// The number before `word` in a message; -1 if there is none.
Bytes NumberBefore(const std::string& text, const std::string& word) {
  const size_t end = text.find(word);
  if (end == std::string::npos) return -1;
  const size_t begin = text.find_last_not_of("0123456789", end - 1) + 1;
  Bytes number = -1;
  std::from_chars(text.data() + begin, text.data() + end, number);
  return number;
}

// Memory that begins `skew` bytes behind a multiple of 64, at its end nothing
// that could be written unseen.
class Given {
 public:
  Given(size_t size, size_t skew)
      : memory_(new (std::align_val_t{64}) std::byte[skew + size]),
        skew_(skew),
        size_(size) {}
  ~Given() { operator delete[](memory_, std::align_val_t{64}); }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;
  std::span<std::byte> span() const { return {memory_ + skew_, size_}; }

 private:
  std::byte* memory_;
  size_t skew_;
  size_t size_;
};

using Give = std::function<void(InterpreterOptions&, std::span<std::byte>)>;

// Grows what `give` gives until the model runs. `wanted` is what it has to
// have from a multiple of 64 on; `part` is named in the errors.
void Sweep(const Case& model, const std::string& part, Bytes wanted,
           const std::vector<std::byte>& expected, const Give& give,
           const runtime::Planner& planner) {
  SCOPED_TRACE(model.name + ", " + part);
  for (size_t skew : {0u, 8u}) {
    const Bytes lost = skew == 0 ? 0 : 64 - static_cast<Bytes>(skew);
    int failures = 0;
    bool runs = false;
    for (size_t size = 0; !runs; size += kUnit) {
      const Given memory(size, skew);
      InterpreterOptions options;
      options.planner = planner;
      give(options, memory.span());
      auto interpreter = MakeInterpreter(*model.model, options);
      const Status status = interpreter->AllocateTensors();
      runs = status.has_value();
      if (runs) {
        EXPECT_GE(static_cast<Bytes>(size), wanted + lost);
        EXPECT_LT(static_cast<Bytes>(size), wanted + lost + Bytes{kUnit});
        const auto outputs = RunOnce(*interpreter);
        ASSERT_TRUE(outputs) << outputs.error().ToString();
        EXPECT_EQ(*outputs, expected);
        continue;
      }
      ++failures;
      const Error& error = status.error();
      ASSERT_EQ(error.kind, ErrorKind::kIo) << error.ToString();
      ASSERT_EQ(error.where, part) << error.ToString();
      ASSERT_EQ(NumberBefore(error.what, " bytes, "), wanted) << error.what;
      ASSERT_EQ(NumberBefore(error.what, " more than there are"),
                wanted + lost - static_cast<Bytes>(size))
          << error.what;
      ASSERT_FALSE(interpreter->Invoke());  // It did not half succeed.
      const MemoryUse use = interpreter->memory();
      ASSERT_EQ(use.arena_held + use.persistent_held, 0);
    }
    EXPECT_EQ(failures, (wanted + lost + Bytes{kUnit} - 1) / Bytes{kUnit});
  }
}

TEST(MemorySweepTest, EveryShortageIsOneErrorWithTheMissingBytes) {
  for (const Case& model : AllCases()) {
    const runtime::Planner planner = RememberingPlanner();
    InterpreterOptions options;
    options.planner = planner;
    auto interpreter = MakeInterpreter(*model.model, options);
    ASSERT_TRUE(interpreter->AllocateTensors()) << model.name;
    const MemoryUse use = interpreter->memory();
    const auto expected = RunOnce(*interpreter);
    ASSERT_TRUE(expected) << model.name;
    Sweep(
        model, "arena", use.arena, *expected,
        [](InterpreterOptions& to, std::span<std::byte> memory) {
          to.arena = memory;
        },
        planner);
    Sweep(
        model, "memory", use.needed, *expected,
        [](InterpreterOptions& to, std::span<std::byte> memory) {
          to.memory = memory;
        },
        planner);
    EXPECT_EQ(use.needed, use.arena + (use.persistent + 63) / 64 * 64);
    if (use.persistent == 0) continue;
    Sweep(
        model, "persistent memory", use.persistent, *expected,
        [](InterpreterOptions& to, std::span<std::byte> memory) {
          to.persistent = memory;
        },
        planner);
  }
}

// Only a run knows how much it needs: what a shortage says is missing gets it
// at least to the next tensor.
void SweepOverflow(const Case& model, bool given) {
  SCOPED_TRACE(model.name + (given ? ", given" : ", limited"));
  auto free = MakeInterpreter(*model.model);
  ASSERT_TRUE(free->AllocateTensors());
  const auto expected = RunOnce(*free);
  ASSERT_TRUE(expected) << expected.error().ToString();
  const Bytes needed = free->memory().overflow;
  ASSERT_GT(needed, 0);
  const runtime::Planner planner = RememberingPlanner();
  Bytes least = 0;  // What the last failure said would get it farther.
  bool ran = false;
  for (size_t size = 0; !ran; size += kUnit) {
    ASSERT_LE(static_cast<Bytes>(size), needed);
    const Given memory(size, 0);
    InterpreterOptions options;
    options.planner = planner;
    if (given) {
      options.overflow = memory.span();
    } else {
      options.overflow_limit = static_cast<Bytes>(size);
    }
    auto interpreter = MakeInterpreter(*model.model, options);
    ASSERT_TRUE(interpreter->AllocateTensors());
    ASSERT_TRUE(FillInputs(*interpreter));
    const Status status = interpreter->Invoke();
    ran = status.has_value();
    if (ran) {
      EXPECT_EQ(static_cast<Bytes>(size), needed);
      EXPECT_EQ(*OutputBytes(*interpreter), *expected);
      if (given) {
        EXPECT_EQ(interpreter->memory().overflow_growths, 0);
      }
      continue;
    }
    const std::string& what = status.error().what;
    const Bytes missing = NumberBefore(what, " too few");
    ASSERT_GT(missing, 0) << what;
    EXPECT_EQ(NumberBefore(what, " bytes, of which"), static_cast<Bytes>(size));
    const Bytes enough = static_cast<Bytes>(size) + missing;
    EXPECT_GE(enough, least) << what;
    EXPECT_LE(enough, needed) << what;
    if (static_cast<Bytes>(size) < least) {
      EXPECT_EQ(enough, least) << what;
    }
    least = enough;
    EXPECT_FALSE(interpreter->output(0));
    EXPECT_FALSE(interpreter->Invoke());  // The input went with the run.
  }
}

TEST(MemorySweepTest, EveryShortageOfOverflowIsOneErrorWithTheMissingBytes) {
  std::vector<Case> cases;
  cases.push_back({"dynamic_shape", ModelOf(examples::DynamicShape())});
  for (const char* name :
       {"unit/simple_topk_op_runtime_k", "unit/tile_with_bool_input",
        "unit/dynamic_shapes", "generated/dynamic_out_nms_f32"}) {
    if (ModelPointer model = SharedModel(name)) {
      cases.push_back({name, std::move(model)});
    }
  }
  for (const Case& model : cases) {
    SweepOverflow(model, true);
    SweepOverflow(model, false);
  }
}

// What is left of one block behind the arena serves tensors of unknown size.
TEST(MemorySweepTest, OneBlockServesOverflowToo) {
  const ModelPointer model = ModelOf(examples::DynamicShape());
  auto free = MakeInterpreter(*model);
  ASSERT_TRUE(free->AllocateTensors());
  const auto expected = RunOnce(*free);
  ASSERT_TRUE(expected);
  const MemoryUse use = free->memory();
  const auto size = static_cast<size_t>(use.needed + use.overflow);
  for (size_t less : {0u, 64u}) {
    const Given memory(size - less, 0);
    InterpreterOptions options;
    options.memory = memory.span();
    auto interpreter = MakeInterpreter(*model, options);
    ASSERT_TRUE(interpreter->AllocateTensors());
    const auto outputs = RunOnce(*interpreter);
    ASSERT_EQ(outputs.has_value(), less == 0);
    if (outputs) {
      EXPECT_EQ(*outputs, *expected);
    }
  }
}

// A plan that no machine has the memory for is one error too, and planning it
// asks for no more than any other plan.
TEST(MemorySweepTest, AnAbsurdlyLargeModelIsOneErrorFromTheHeap) {
  const ModelPointer model = ModelOf(examples::FourOperators());
  auto interpreter = MakeInterpreter(*model);
  constexpr int64_t kSide = int64_t{1} << 26;
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, kSide, kSide / 8, 1}));
  const profile::AllocationCount before = profile::AllocationsOfThread();
  const Status status = interpreter->AllocateTensors();
  const profile::AllocationCount count =
      profile::AllocationsOfThread() - before;
  ASSERT_FALSE(status);
  const Bytes wanted = NumberBefore(status.error().what, " bytes, ");
  EXPECT_GE(wanted, 3 * (kSide * (kSide / 8))) << status.error().ToString();
  EXPECT_EQ(NumberBefore(status.error().what, " more than there are"), wanted);
  EXPECT_EQ(status.error().where, "arena");
  if (profile::CountsAllocations()) {
    EXPECT_LT(count.bytes - wanted, Bytes{1} << 20);
  }
  // It serves on.
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, 8, 8, 1}));
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_TRUE(RunOnce(*interpreter));
}

TEST(MemorySweepTest, SizesThatFitNoIntegerAreAnErrorNotARequest) {
  const ModelPointer model = ModelOf(examples::FourOperators());
  auto interpreter = MakeInterpreter(*model);
  constexpr int64_t kSide = int64_t{1} << 40;
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, kSide, kSide, 1}));
  const Status status = interpreter->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kUsage)
      << status.error().ToString();
}

// The data asks for 2^62 bytes: over the limit nothing is requested at all, and
// without a limit the heap refuses.
TEST(MemorySweepTest, AnAbsurdSizeInTheDataIsOneErrorAndTheNextRunServes) {
  using testing::ElementType;
  testing::ModelBuilder builder;
  const int32_t dims = builder.AddTensor({"dims", ElementType::INT32, {2}});
  const int32_t value =
      builder.AddTensor({"value",
                         ElementType::FLOAT32,
                         {},
                         {},
                         testing::BytesOf(std::vector<float>{3})});
  const int32_t out = builder.AddTensor(
      {.name = "out", .shape = {1, 1}, .signature = {-1, -1}});
  builder.AddOperator("FILL", {dims, value}, {out});
  builder.SetBoundary({dims}, {out});
  const ModelPointer model = ModelOf(builder.Build());
  for (Bytes limit : {Bytes{1} << 30, Bytes{1} << 62}) {
    InterpreterOptions options;
    options.overflow_limit = limit;
    auto interpreter = MakeInterpreter(*model, options);
    ASSERT_TRUE(interpreter->AllocateTensors());
    const auto run = [&](int32_t side) {
      auto input = interpreter->input(0).value();
      auto* numbers = reinterpret_cast<int32_t*>(input.data.data());
      numbers[0] = numbers[1] = side;
      return interpreter->Invoke();
    };
    const profile::AllocationCount before = profile::AllocationsOfThread();
    const Status status = run(1 << 30);
    const profile::AllocationCount count =
        profile::AllocationsOfThread() - before;
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kIo) << status.error().ToString();
    if (limit < Bytes{1} << 62 && profile::CountsAllocations()) {
      EXPECT_LT(count.bytes, Bytes{1} << 20);
    }
    const Status after = run(4);
    ASSERT_TRUE(after) << after.error().ToString();
    EXPECT_EQ(interpreter->output(0).value().data.size(), 64u);
    EXPECT_EQ(interpreter->memory().overflow_held, 64);
  }
}

TEST(MemorySweepTest, OneBlockAndPartsTogetherAreRefused) {
  const ModelPointer model = ModelOf(examples::FourOperators());
  std::array<std::byte, 64> memory;
  InterpreterOptions options;
  options.planner = PlanWithSolver;
  options.memory = memory;
  options.overflow = memory;
  const auto interpreter =
      runtime::Interpreter::Create(model->graph, options, model->facts);
  ASSERT_FALSE(interpreter);
  EXPECT_EQ(interpreter.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace stowplan::tests
