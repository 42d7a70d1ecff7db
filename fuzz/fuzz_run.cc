// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a model file that is run: it gives outputs or one error. Every
// buffer has bytes of its own with a gap behind it that the address sanitizer
// guards, so that what a kernel reads or writes beside one is found at once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "stowplan/base/checked_math.h"
#include "stowplan/model/import.h"
#include "stowplan/runtime/interpreter.h"
#include "stowplan/runtime/random_input.h"
#include "stowplan/tflite/model_view.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STOWPLAN_GUARDS 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define STOWPLAN_GUARDS 1
#endif
#ifdef STOWPLAN_GUARDS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#endif

namespace {

using namespace stowplan;  // NOLINT: a program, not a library.

constexpr size_t kArena = 256 * 1024;
constexpr size_t kPersistent = 64 * 1024;
constexpr size_t kOverflow = 64 * 1024;
constexpr Bytes kGap = 64;

alignas(64) std::byte arena[kArena];
alignas(64) std::byte persistent[kPersistent];

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireError(const Error& error) {
  Require(!error.where.empty() && !error.what.empty());
  Require(error.kind != ErrorKind::kInternal);
}

// One behind the other, however long they live.
Result<plan::Plan> Apart(const plan::Problem& problem) {
  plan::Plan plan;
  Bytes end = 0;
  for (const plan::Buffer& buffer : problem.buffers()) {
    const Bytes begin = AlignUp(end, std::max<Bytes>(buffer.alignment, 64));
    if (buffer.pinned || buffer.size > static_cast<Bytes>(kArena) ||
        begin + buffer.size > static_cast<Bytes>(kArena)) {
      return BadInput("the arena", "it is too small");
    }
    plan.offsets.push_back(begin);
    end = begin + buffer.size + kGap;
  }
  return plan;
}

// All of the arena but the buffers.
void GuardGaps(const runtime::Program& program) {
  ASAN_POISON_MEMORY_REGION(arena, kArena);
  for (size_t i = 0; i < program.problem().size(); ++i) {
    ASAN_UNPOISON_MEMORY_REGION(
        arena + program.plan().offsets[i],
        static_cast<size_t>(program.problem().buffers()[i].size));
  }
}

Status Run(runtime::Interpreter& interpreter, uint64_t seed) {
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter.input(i));
    STOWPLAN_RETURN_IF_ERROR(
        runtime::FillRandom(seed, i, input.dtype, input.data));
  }
  STOWPLAN_RETURN_IF_ERROR(interpreter.Invoke());
  uint8_t sum = 0;
  for (size_t i = 0; i < interpreter.outputs(); ++i) {
    STOWPLAN_TRY(output, interpreter.output(i));
    for (std::byte byte : output.data) sum ^= static_cast<uint8_t>(byte);
  }
  // Used, so that no compiler leaves the reading out.
  [[maybe_unused]] static volatile uint8_t sink;
  sink = sum;
  return {};
}

Status RunFile(std::span<const std::byte> file) {
  STOWPLAN_TRY(view, tflite::ModelView::Open(file));
  STOWPLAN_TRY(model, model::Import(view));
  runtime::InterpreterOptions options;
  options.planner = Apart;
  options.arena = arena;
  options.persistent = persistent;
  options.overflow_limit = kOverflow;
  options.max_iterations = 100;
  STOWPLAN_TRY(interpreter, runtime::Interpreter::Create(
                                std::move(model), options,
                                std::make_shared<runtime::FileFacts>(view)));
  STOWPLAN_RETURN_IF_ERROR(interpreter->AllocateTensors());
  GuardGaps(*interpreter->program());
  Status status;
  for (uint64_t seed = 1; seed <= 2 && status; ++seed) {
    status = Run(*interpreter, seed);
  }
  ASAN_UNPOISON_MEMORY_REGION(arena, kArena);
  return status;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A copy: aligned, as the reader asks for, and with guarded ends.
  std::vector<std::byte> file(size);
  if (size > 0) std::memcpy(file.data(), data, size);
  const Status status = RunFile(file);
  if (!status) RequireError(status.error());
  return 0;
}
