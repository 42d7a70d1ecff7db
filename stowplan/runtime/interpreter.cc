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
      shapes_(options_.shapes),
      plans_(options_.cached_plans),
      arena_("arena", options_.arena),
      persistent_("persistent memory", options_.persistent),
      overflow_(options_.overflow_limit) {
  overflow_.Use(options_.overflow);
}

Result<std::unique_ptr<Interpreter>> Interpreter::Create(
    graph::Model model, InterpreterOptions options,
    std::shared_ptr<const FileFacts> facts) {
  if (!options.planner) {
    return UsageError("interpreter", "it has no planner",
                      "set InterpreterOptions::planner");
  }
  const bool parts = options.arena.data() != nullptr ||
                     options.persistent.data() != nullptr ||
                     options.overflow.data() != nullptr;
  if (options.memory.data() != nullptr && parts) {
    return UsageError("interpreter", "it is given one block and others",
                      "give it either InterpreterOptions::memory or the parts");
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

Status Interpreter::ResizeInput(size_t i, graph::Shape shape) {
  if (i >= inputs_.size()) return NoSuch("input", i, inputs_.size());
  const TensorRef input = {options_.rules.entry, inputs_[i].tensor};
  changed_ = true;
  for (graph::ShapeOverride& known : shapes_) {
    if (known.tensor == input) {
      known.shape = std::move(shape);
      return {};
    }
  }
  // Behind those by name, which it goes before. Names need not be unique.
  shapes_.push_back({inputs_[i].name, std::move(shape), input});
  return {};
}

bool Interpreter::IsReady() const {
  return executor_ != nullptr && !changed_ && !released_;
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
  if (!IsReady()) return NotAllocated();
  STOWPLAN_RETURN_IF_ERROR(CheckInputs());
  const Status status = executor_->Run(options_.observer);
  MarkRecycledInputs();
  ran_ = status.has_value();
  return status;
}

void Interpreter::MarkRecycledInputs() {
  if (options_.rules.inputs == schedule::Io::kKeep) return;
  for (Binding& input : inputs_) {
    if (input.memory.data() != nullptr) continue;
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
  if (!IsReady()) {
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
  if (!IsReady()) {
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
      if (binding.tensor == id && binding.memory.data() != nullptr) return {};
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

}  // namespace stowplan::runtime
