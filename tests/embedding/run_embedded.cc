// SPDX-License-Identifier: Apache-2.0
//
// Runs models as a program does that embeds the libraries: without exceptions
// and RTTI, without the solver, with every byte out of two blocks of its own,
// one that the planned memory is cut from and one as its heap.
//
//   run_embedded MODEL...
//
// A line a model, with a checksum of its outputs. The same source is also
// linked with the ordinary libraries and heap, for the checksums to compare.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "stowplan/model/import.h"
#include "stowplan/profile/allocation_count.h"
#include "stowplan/runtime/interpreter.h"
#include "stowplan/runtime/random_input.h"
#ifdef STOWPLAN_EMBEDDED
#include "tests/embedding/caller_memory.h"
#if defined(__cpp_exceptions) || defined(__GXX_RTTI)
#error "embedded programs are built without exceptions and RTTI"
#endif
#endif

namespace stowplan::embedding {
namespace {

using profile::AllocationsOfThread;
using runtime::Interpreter;

constexpr size_t kHeap = size_t{16} << 20;
constexpr size_t kMemory = size_t{2} << 20;
alignas(64) std::byte heap_block[kHeap];
alignas(64) std::byte memory_block[kMemory];

int64_t HeapCalls() {
#ifdef STOWPLAN_EMBEDDED
  return UseOfBlock().calls + AllocationsOfThread().calls;
#else
  return AllocationsOfThread().calls;
#endif
}

size_t HeapHeld() {
#ifdef STOWPLAN_EMBEDDED
  return UseOfBlock().held;
#else
  return static_cast<size_t>(profile::HeapOfProcess().live_bytes);
#endif
}

size_t HeapPeak() {
#ifdef STOWPLAN_EMBEDDED
  return UseOfBlock().peak;
#else
  return static_cast<size_t>(profile::HeapOfProcess().peak_bytes);
#endif
}

// Large buffers first, each at the lowest place that is free while it lives.
Result<plan::Plan> PlanFirstFit(const plan::Problem& problem) {
  const auto& buffers = problem.buffers();
  std::vector<size_t> order(buffers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].size > buffers[b].size;
  });
  plan::Plan plan;
  plan.offsets.resize(buffers.size());
  std::vector<size_t> placed;  // In ascending order of offsets.
  for (size_t i : order) {
    Bytes offset = 0;
    for (size_t other : placed) {
      if (buffers[i].live.end <= buffers[other].live.begin ||
          buffers[other].live.end <= buffers[i].live.begin) {
        continue;
      }
      if (offset + buffers[i].size <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + buffers[other].size);
    }
    plan.offsets[i] = offset;
    const auto behind = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](Bytes value, size_t b) { return value < plan.offsets[b]; });
    placed.insert(behind, i);
  }
  return plan;
}

Status FillInputs(Interpreter& interpreter) {
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter.input(i));
    STOWPLAN_RETURN_IF_ERROR(
        runtime::FillRandom(42, i, input.dtype, input.data));
  }
  return {};
}

// FNV-1a over the bytes of all outputs.
Result<uint64_t> Checksum(const Interpreter& interpreter) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < interpreter.outputs(); ++i) {
    STOWPLAN_TRY(output, interpreter.output(i));
    for (std::byte byte : output.data) {
      hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
    }
  }
  return hash;
}

Status RunModel(const char* path, std::span<const std::byte> file) {
  STOWPLAN_TRY(view, tflite::ModelView::Open(file));
  STOWPLAN_TRY(model, model::Import(view));
  const auto facts = std::make_shared<runtime::FileFacts>(view);
  runtime::InterpreterOptions options;
  options.planner = PlanFirstFit;
  options.memory = memory_block;
  STOWPLAN_TRY(interpreter, Interpreter::Create(model, options, facts));
  STOWPLAN_RETURN_IF_ERROR(interpreter->AllocateTensors());
  const bool dynamic = !interpreter->program()->needs().kinds.dynamic.empty();
  const int64_t before = HeapCalls();
  for (int run = 0; run < 3; ++run) {
    STOWPLAN_RETURN_IF_ERROR(FillInputs(*interpreter));
    STOWPLAN_RETURN_IF_ERROR(interpreter->Invoke());
  }
  const int64_t calls = HeapCalls() - before;
  if (calls != 0 && !dynamic) {
    return InternalError(path, "runs asked the heap for memory");
  }
  STOWPLAN_TRY(checksum, Checksum(*interpreter));
  const runtime::MemoryUse use = interpreter->memory();
  std::printf(
      "%s: outputs %016llx, memory %lld, overflow %lld, heap %zu, "
      "heap calls of runs %lld\n",
      path, static_cast<unsigned long long>(checksum),
      static_cast<long long>(use.needed), static_cast<long long>(use.overflow),
      HeapHeld(), static_cast<long long>(calls));
  return {};
}

bool RunFile(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
  if (size <= 0) {
    std::fprintf(stderr, "%s: cannot be read\n", path);
    return false;
  }
  void* begin =
      mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (begin == MAP_FAILED) return false;
  const Status status = RunModel(
      path, {static_cast<std::byte*>(begin), static_cast<size_t>(size)});
  munmap(begin, static_cast<size_t>(size));
  if (!status) std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
  return status.has_value();
}

int Main(std::span<char*> paths) {
  // stdout would take its buffer from malloc.
  static char out[1 << 16];
  std::setvbuf(stdout, out, _IOFBF, sizeof(out));
#ifdef STOWPLAN_EMBEDDED
  UseBlock(heap_block);
#else
  static_cast<void>(heap_block);
#endif
  const int64_t malloc_calls = AllocationsOfThread().calls;
  bool ok = true;
  // What is left after the first round are tables that are made once.
  for (const char* path : paths) ok = RunFile(path) && ok;
  const size_t tables = HeapHeld();
  for (const char* path : paths) ok = RunFile(path) && ok;
  if (HeapHeld() != tables) {
    std::fprintf(stderr, "%zu bytes leaked\n", HeapHeld() - tables);
    ok = false;
  }
  const int64_t outside = AllocationsOfThread().calls - malloc_calls;
  std::printf("heap: peak %zu, tables %zu; malloc: %lld calls\n", HeapPeak(),
              tables, static_cast<long long>(outside));
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace stowplan::embedding

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s MODEL...\n", arguments[0]);
    return 2;
  }
  return stowplan::embedding::Main(
      std::span(arguments + 1, static_cast<size_t>(count - 1)));
}
