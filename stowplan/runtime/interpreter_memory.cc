// SPDX-License-Identifier: Apache-2.0
//
// Where an interpreter's memory comes from and when it goes.
#include <cstdint>
#include <cstring>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/runtime/interpreter.h"

namespace stowplan::runtime {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

Status Interpreter::AllocateTensors() {
  if (!changed_ && executor_ != nullptr) return Reacquire();
  executor_.reset();
  program_.reset();
  ran_ = false;
  Status status = BuildProgram();
  if (status) status = CommitMemory();
  if (status) status = BindMemory();
  if (!status) {
    ReleaseAll();
    return status;
  }
  for (Binding& input : inputs_) input.set = false;
  changed_ = false;
  released_ = false;
  return {};
}

// The same plan, in an arena that was given back.
Status Interpreter::Reacquire() {
  if (!released_) return {};
  STOWPLAN_RETURN_IF_ERROR(
      arena_.Commit(program_->arena_bytes(), options_.shrink));
  program_->Bind(arena_.data(), persistent_.data());
  STOWPLAN_RETURN_IF_ERROR(PlaceOutside());
  released_ = false;
  return {};
}

ProgramOptions Interpreter::MakeProgramOptions() const {
  ProgramOptions options;
  options.rules = options_.rules;
  options.rules.shared_variables = options_.resources != nullptr;
  options.arithmetic = options_.arithmetic;
  options.shapes = shapes_;
  for (const auto* bindings : {&inputs_, &outputs_}) {
    for (const Binding& binding : *bindings) {
      if (binding.memory.data() == nullptr) continue;
      options.external.push_back({options_.rules.entry, binding.tensor});
    }
  }
  return options;
}

Status Interpreter::BuildProgram() {
  const ProgramOptions options = MakeProgramOptions();
  PlanCache::Key key;
  key.outside = options.external;
  for (const graph::ShapeOverride& shape : shapes_) {
    key.shapes.push_back(shape.shape);
  }
  STOWPLAN_TRY(program, Program::Build(
                            model_, *facts_, options_.registry,
                            [&](const plan::Problem& problem) {
                              return PlanCached(key, problem);
                            },
                            options));
  program_ = std::move(program);
  return {};
}

Result<plan::Plan> Interpreter::PlanCached(const PlanCache::Key& key,
                                           const plan::Problem& problem) {
  if (const plan::Plan* known = plans_.Find(key)) return *known;
  STOWPLAN_TRY(plan, options_.planner(problem));
  plans_.Add(key, plan);
  return plan;
}

// What shrinks comes first, so that at no time more is held than the larger
// of the old and the new sum.
Status Interpreter::CommitMemory() {
  const Bytes persistent = AlignUp(program_->persistent_bytes(), 64);
  needed_ = persistent + program_->arena_bytes();
  if (options_.memory.data() != nullptr) return CutBlock();
  if (program_->persistent_bytes() <= persistent_.capacity()) {
    STOWPLAN_RETURN_IF_ERROR(
        persistent_.Commit(program_->persistent_bytes(), options_.shrink));
  }
  STOWPLAN_RETURN_IF_ERROR(
      arena_.Commit(program_->arena_bytes(), options_.shrink));
  return persistent_.Commit(program_->persistent_bytes(), options_.shrink);
}

Status Interpreter::CutBlock() {
  const std::span<std::byte> block = AlignedPart(options_.memory);
  const Bytes there = AlignedBytes(options_.memory);
  if (needed_ > 0 && needed_ > there) {
    return OutOfMemory("memory", needed_, there);
  }
  const auto persistent =
      static_cast<size_t>(AlignUp(program_->persistent_bytes(), 64));
  const auto arena = static_cast<size_t>(program_->arena_bytes());
  persistent_.Use(block.first(persistent));
  arena_.Use(block.subspan(persistent, arena));
  overflow_.Use(block.subspan(persistent + arena));
  STOWPLAN_RETURN_IF_ERROR(
      persistent_.Commit(program_->persistent_bytes(), options_.shrink));
  return arena_.Commit(program_->arena_bytes(), options_.shrink);
}

Status Interpreter::BindMemory() {
  program_->Bind(arena_.data(), persistent_.data());
  STOWPLAN_RETURN_IF_ERROR(PlaceOutside());
  executor_ = std::make_unique<Executor>(
      *program_, overflow_,
      options_.resources == nullptr ? nullptr : options_.resources->called(),
      options_.max_iterations);
  if (persistent_.size() > 0) {
    std::memset(persistent_.data(), 0, static_cast<size_t>(persistent_.size()));
  }
  ClearState(false);
  return executor_->SetUp();
}

// What lies neither in the arena nor in persistent memory.
Status Interpreter::PlaceOutside() {
  for (const auto* bindings : {&inputs_, &outputs_}) {
    for (const Binding& binding : *bindings) {
      if (binding.memory.data() == nullptr) continue;
      STOWPLAN_RETURN_IF_ERROR(PlaceOne(binding));
    }
  }
  STOWPLAN_RETURN_IF_ERROR(CheckApart());
  if (options_.resources == nullptr) return {};
  return options_.resources->Join(model_, *program_);
}

Status Interpreter::PlaceOne(const Binding& binding) {
  const TensorRef ref = {options_.rules.entry, binding.tensor};
  const schedule::TensorKind& kind = program_->KindOf(ref);
  if (kind.kind == schedule::Kind::kNone) return {};  // Nobody reads it.
  if (kind.kind != schedule::Kind::kArena) {
    return UsageError(binding.name,
                      "it cannot lie in the caller's memory: its bytes are " +
                          std::string(schedule::NameOf(kind.kind)),
                      "read it where it is");
  }
  const Bytes there = static_cast<Bytes>(binding.memory.size());
  if (there < kind.bytes) {
    return UsageError(binding.name,
                      "the caller's memory has " + std::to_string(there) +
                          " bytes and " + std::to_string(kind.bytes) +
                          " are needed",
                      "give it more");
  }
  if (reinterpret_cast<uintptr_t>(binding.memory.data()) % 64 != 0) {
    return UsageError(binding.name,
                      "the caller's memory does not begin at a multiple of 64",
                      "align it");
  }
  program_->Place(ref, binding.memory.data());
  return {};
}

// Nobody plans the caller's memory, so nothing there may be written while
// something else is wanted.
Status Interpreter::CheckApart() const {
  struct Part {
    std::string_view name;
    const std::byte* begin;
    const std::byte* end;
    TensorId tensor;  // Invalid: planned memory.
  };
  std::vector<Part> parts = {
      {"the arena", arena_.data(), arena_.data() + arena_.size(), {}},
      {"persistent memory",
       persistent_.data(),
       persistent_.data() + persistent_.size(),
       {}}};
  for (const auto* bindings : {&inputs_, &outputs_}) {
    for (const Binding& binding : *bindings) {
      const std::byte* begin = binding.memory.data();
      if (begin == nullptr) continue;
      const Bytes bytes =
          program_->KindOf({options_.rules.entry, binding.tensor}).bytes;
      const Part part = {binding.name, begin, begin + bytes, binding.tensor};
      for (const Part& other : parts) {
        if (other.tensor.valid() && other.tensor == part.tensor) continue;
        if (part.begin >= other.end || other.begin >= part.end) continue;
        return UsageError(
            binding.name,
            "the caller's memory for it has bytes in common with " +
                std::string(other.name),
            "give every input and output memory of its own");
      }
      parts.push_back(part);
    }
  }
  return {};
}

void Interpreter::ResetVariables() {
  if (executor_ != nullptr) ClearState(true);
}

// Shared variables only with `shared`.
void Interpreter::ClearState(bool shared) {
  for (size_t s = 0; s < program_->model().subgraphs.size(); ++s) {
    const graph::Subgraph& subgraph = program_->model().subgraphs[s];
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const TensorRef ref = {SubgraphId::FromIndex(s), TensorId::FromIndex(t)};
      const bool handle =
          program_->needs().kinds.variable_of[s][t].tensor.valid();
      if (program_->KindOf(ref).kind != schedule::Kind::kPersistent ||
          (!subgraph.tensors[t].variable && !handle) ||
          (handle && options_.resources != nullptr)) {
        continue;
      }
      const kernels::Tensor& tensor = program_->bound().tensor(ref);
      // What stands for zero.
      const bool bytes = tensor.type == kernels::Type::kInt8;
      std::memset(tensor.data, bytes ? tensor.quantization.zero_point() : 0,
                  static_cast<size_t>(tensor.bytes));
    }
  }
  if (options_.resources == nullptr) {
    executor_->Reset();
  } else if (shared) {
    options_.resources->Reset();
  }
}

void Interpreter::ReleaseNonPersistent() {
  arena_.Release();
  overflow_.Release();
  for (Binding& input : inputs_) input.set = false;
  released_ = true;
  ran_ = false;
}

void Interpreter::ReleaseAll() {
  ReleaseNonPersistent();
  persistent_.Release();
  executor_.reset();
  program_.reset();
  changed_ = true;
}

MemoryUse Interpreter::memory() const {
  MemoryUse use;
  use.arena = arena_.size();
  use.arena_held = arena_.capacity();
  use.persistent = persistent_.size();
  use.persistent_held = persistent_.capacity();
  use.overflow = overflow_.high_water();
  use.overflow_held = overflow_.capacity();
  use.overflow_growths = overflow_.growths();
  use.needed = needed_;
  use.cached_plans = plans_.size();
  return use;
}

}  // namespace stowplan::runtime
