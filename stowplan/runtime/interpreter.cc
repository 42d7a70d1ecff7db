// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/interpreter.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "stowplan/runtime/recycled.h"

namespace stowplan::runtime {
namespace {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

constexpr size_t kMaxCachedPlans = 64;

Status NotAllocated() {
  return UsageError("interpreter", "it has no memory yet",
                    "call AllocateTensors first");
}

Status NoSuch(std::string_view what, size_t i, size_t count) {
  return UsageError(std::string(what) + " " + std::to_string(i),
                    "the model has only " + std::to_string(count));
}

}  // namespace

Interpreter::Interpreter(graph::Model model, InterpreterOptions options,
                         std::shared_ptr<const FileFacts> facts)
    : model_(std::move(model)),
      options_(std::move(options)),
      facts_(std::move(facts)),
      arena_("arena", options_.arena),
      persistent_("persistent memory", options_.persistent),
      overflow_(options_.overflow_limit) {}

Result<std::unique_ptr<Interpreter>> Interpreter::Create(
    graph::Model model, InterpreterOptions options,
    std::shared_ptr<const FileFacts> facts) {
  if (!options.planner) {
    return UsageError("interpreter", "it has no planner",
                      "set InterpreterOptions::planner");
  }
  if (facts == nullptr) facts = std::make_shared<FileFacts>();
  std::unique_ptr<Interpreter> interpreter(
      new Interpreter(std::move(model), std::move(options), std::move(facts)));
  STOWPLAN_RETURN_IF_ERROR(interpreter->FindEntry());
  return interpreter;
}

Status Interpreter::FindEntry() {
  if (model_.subgraphs.empty()) {
    return BadInput("model", "it has no subgraph to run",
                    "a model needs at least one subgraph");
  }
  if (options_.signature.empty()) {
    const graph::Subgraph& subgraph = model_.subgraph(options_.rules.entry);
    for (TensorId id : subgraph.inputs) {
      inputs_.push_back({subgraph.tensor(id).name, id, {}, false});
    }
    for (TensorId id : subgraph.outputs) {
      outputs_.push_back({subgraph.tensor(id).name, id, {}, false});
    }
    return {};
  }
  std::string known;
  for (const graph::Signature& signature : model_.signatures) {
    known += (known.empty() ? "" : ", ") + signature.key;
    if (signature.key != options_.signature) continue;
    options_.rules.entry = signature.subgraph;
    for (const auto& binding : signature.inputs) {
      inputs_.push_back({binding.name, binding.tensor, {}, false});
    }
    for (const auto& binding : signature.outputs) {
      outputs_.push_back({binding.name, binding.tensor, {}, false});
    }
    return {};
  }
  return UsageError("signature '" + options_.signature + "'",
                    "the model has none of that name",
                    known.empty() ? "it has no signatures" : "use " + known);
}

Result<plan::Plan> Interpreter::PlanCached(const plan::Problem& problem) {
  std::vector<graph::Shape> key;
  for (const graph::ShapeOverride& shape : shapes_) {
    key.push_back(shape.shape);
  }
  const auto found = plans_.find(key);
  if (found != plans_.end() && found->second.offsets.size() == problem.size()) {
    return found->second;
  }
  STOWPLAN_TRY(plan, options_.planner(problem));
  if (plans_.size() >= kMaxCachedPlans) plans_.erase(plans_.begin());
  plans_[std::move(key)] = plan;
  return plan;
}

Status Interpreter::AllocateTensors() {
  if (!changed_ && program_ != nullptr && arena_.size() > 0) return {};
  ProgramOptions options;
  options.rules = options_.rules;
  options.arithmetic = options_.arithmetic;
  options.shapes = shapes_;
  for (const auto* bindings : {&inputs_, &outputs_}) {
    for (const Binding& binding : *bindings) {
      if (binding.memory.empty()) continue;
      options.external.push_back({options_.rules.entry, binding.tensor});
    }
  }
  executor_.reset();
  program_.reset();
  ran_ = false;
  STOWPLAN_TRY(program, Program::Build(
                            model_, *facts_, options_.registry,
                            [this](const plan::Problem& problem) {
                              return PlanCached(problem);
                            },
                            options));
  STOWPLAN_RETURN_IF_ERROR(
      arena_.Commit(program->arena_bytes(), options_.shrink));
  STOWPLAN_RETURN_IF_ERROR(
      persistent_.Commit(program->persistent_bytes(), options_.shrink));
  program_ = std::move(program);
  program_->Bind(arena_.data(), persistent_.data());
  STOWPLAN_RETURN_IF_ERROR(PlaceExternal());
  executor_ = std::make_unique<Executor>(*program_, overflow_);
  if (persistent_.size() > 0) {
    std::memset(persistent_.data(), 0, static_cast<size_t>(persistent_.size()));
  }
  ResetVariables();
  STOWPLAN_RETURN_IF_ERROR(executor_->SetUp());
  for (Binding& input : inputs_) input.set = false;
  changed_ = false;
  return {};
}

Status Interpreter::PlaceExternal() {
  for (auto* bindings : {&inputs_, &outputs_}) {
    for (Binding& binding : *bindings) {
      if (binding.memory.empty()) continue;
      const TensorRef ref = {options_.rules.entry, binding.tensor};
      const Bytes needed = program_->KindOf(ref).bytes;
      if (static_cast<Bytes>(binding.memory.size()) < needed) {
        return UsageError(
            binding.name,
            "the caller's memory has " + std::to_string(binding.memory.size()) +
                " bytes and " + std::to_string(needed) + " are needed",
            "give it more");
      }
      program_->Place(ref, binding.memory.data());
    }
  }
  return {};
}

Status Interpreter::ResizeInput(size_t i, graph::Shape shape) {
  if (i >= inputs_.size()) return NoSuch("input", i, inputs_.size());
  const std::string& name =
      model_.subgraph(options_.rules.entry).tensor(inputs_[i].tensor).name;
  changed_ = true;
  for (graph::ShapeOverride& known : shapes_) {
    if (known.name == name) {
      known.shape = std::move(shape);
      return {};
    }
  }
  shapes_.push_back({name, std::move(shape)});
  return {};
}

Status Interpreter::CheckInputs() const {
  for (const Binding& input : inputs_) {
    if (input.set) continue;
    return UsageError(
        "input '" + input.name + "'",
        ran_ ? "its bytes were recycled in the last run and it was not set "
               "again"
             : "it was not set",
        "set it before Invoke, or keep inputs");
  }
  return {};
}

Status Interpreter::Invoke() {
  if (executor_ == nullptr || changed_) return NotAllocated();
  STOWPLAN_RETURN_IF_ERROR(CheckInputs());
  const Status status = executor_->Run(options_.observer);
  MarkRecycledInputs();
  ran_ = status.has_value();
  return status;
}

void Interpreter::MarkRecycledInputs() {
  if (options_.rules.inputs == schedule::Io::kKeep) return;
  for (Binding& input : inputs_) {
    if (!input.memory.empty()) continue;
    input.set = program_->KindOf({options_.rules.entry, input.tensor}).kind !=
                schedule::Kind::kArena;
  }
}

TensorView Interpreter::ViewOf(TensorId id) const {
  const TensorRef ref = {options_.rules.entry, id};
  const graph::Tensor& tensor =
      program_->model().subgraph(ref.subgraph).tensor(id);
  const kernels::Tensor& bound = program_->bound().tensor(ref);
  TensorView view;
  view.name = tensor.name;
  view.dtype = tensor.dtype;
  view.shape = {bound.shape.dims.data(), bound.shape.rank};
  view.quantization = &tensor.quantization;
  view.data = {bound.data, static_cast<size_t>(bound.bytes)};
  return view;
}

Result<TensorView> Interpreter::input(size_t i) {
  if (i >= inputs_.size()) {
    return tl::unexpected(NoSuch("input", i, inputs_.size()).error());
  }
  if (executor_ == nullptr || changed_) {
    return tl::unexpected(NotAllocated().error());
  }
  inputs_[i].set = true;
  return ViewOf(inputs_[i].tensor);
}

Result<TensorView> Interpreter::output(size_t i) const {
  if (i >= outputs_.size()) {
    return tl::unexpected(NoSuch("output", i, outputs_.size()).error());
  }
  return tensor(outputs_[i].tensor);
}

Result<TensorView> Interpreter::tensor(TensorId id) const {
  if (executor_ == nullptr || changed_) {
    return tl::unexpected(NotAllocated().error());
  }
  const graph::Subgraph& subgraph =
      program_->model().subgraph(options_.rules.entry);
  if (!id.valid() || id.index() >= subgraph.tensors.size()) {
    return UsageError("tensor " + std::to_string(id.value()),
                      "there is no such tensor");
  }
  if (!ran_ && !subgraph.tensor(id).constant) {
    return UsageError(graph::PlaceOf(subgraph, id),
                      "the model was not run since memory was planned",
                      "call Invoke first");
  }
  if (const auto by = OverwrittenBy(id)) {
    return UsageError(graph::PlaceOf(subgraph, id),
                      "its bytes were recycled: operator " +
                          std::to_string(by->op.value()) + " (" +
                          program_->model()
                              .subgraph(by->subgraph)
                              .operators[by->op.index()]
                              .type +
                          ") of subgraph " +
                          std::to_string(by->subgraph.value()) +
                          " overwrote them",
                      "put it on the list of tensors to keep");
  }
  return ViewOf(id);
}

std::optional<graph::OperatorRef> Interpreter::OverwrittenBy(
    TensorId id) const {
  for (const auto* bindings : {&inputs_, &outputs_}) {
    for (const Binding& binding : *bindings) {
      if (binding.tensor == id && !binding.memory.empty()) return {};
    }
  }
  return OverwriterOf(*program_, {options_.rules.entry, id});
}

Status Interpreter::UseMemoryForInput(size_t i, std::span<std::byte> memory) {
  if (i >= inputs_.size()) return NoSuch("input", i, inputs_.size());
  inputs_[i].memory = memory;
  changed_ = true;
  return {};
}

Status Interpreter::UseMemoryForOutput(size_t i, std::span<std::byte> memory) {
  if (i >= outputs_.size()) return NoSuch("output", i, outputs_.size());
  outputs_[i].memory = memory;
  changed_ = true;
  return {};
}

void Interpreter::ResetVariables() {
  if (program_ == nullptr || executor_ == nullptr) return;
  for (size_t s = 0; s < program_->model().subgraphs.size(); ++s) {
    const graph::Subgraph& subgraph = program_->model().subgraphs[s];
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const TensorRef ref = {SubgraphId::FromIndex(s), TensorId::FromIndex(t)};
      const bool handle =
          program_->needs().kinds.variable_of[s][t].tensor.valid();
      if (program_->KindOf(ref).kind != schedule::Kind::kPersistent ||
          (!subgraph.tensors[t].variable && !handle)) {
        continue;
      }
      const kernels::Tensor& tensor = program_->bound().tensor(ref);
      // What stands for zero.
      const bool bytes = tensor.type == kernels::Type::kInt8;
      std::memset(tensor.data, bytes ? tensor.quantization.zero_point() : 0,
                  static_cast<size_t>(tensor.bytes));
    }
  }
  executor_->Reset();
}

void Interpreter::ReleaseNonPersistent() {
  executor_.reset();
  program_.reset();
  arena_.Release();
  overflow_.Release();
  changed_ = true;
}

MemoryUse Interpreter::memory() const {
  return {arena_.size(), arena_.capacity(), persistent_.size(),
          overflow_.high_water(), overflow_.growths()};
}

}  // namespace stowplan::runtime
