// SPDX-License-Identifier: Apache-2.0
//
// Runs a model out of one planned arena.
//
//   STOWPLAN_TRY(interpreter, Interpreter::Create(model, options));
//   STOWPLAN_RETURN_IF_ERROR(interpreter->AllocateTensors());
//   STOWPLAN_TRY(input, interpreter->input(0));  // Set it before each run,
//   std::copy(..., input.data.begin());          // unless inputs are kept.
//   STOWPLAN_RETURN_IF_ERROR(interpreter->Invoke());
//   STOWPLAN_TRY(output, interpreter->output(0));
//
// Weights stay where the model has them. Activations and scratch lie where
// the plan says, state in persistent memory, tensors whose size only the data
// decides in a bounded overflow region. Invoke uses no heap unless there are
// such tensors. One interpreter serves one thread at a time; interpreters in
// any number of threads may share a model's weights and its facts.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/runtime/arena.h"
#include "stowplan/runtime/executor.h"
#include "stowplan/runtime/interpreter_options.h"
#include "stowplan/runtime/plan_cache.h"
#include "stowplan/runtime/program.h"

namespace stowplan::runtime {

class Interpreter {
 public:
  // Move `model` in where nobody else needs it: graphs can be large. `facts`
  // is what kernels need of its file beside the graph. Errors: kUsage for a
  // signature or planner that is not there, or for one block beside others.
  static Result<std::unique_ptr<Interpreter>> Create(
      graph::Model model, InterpreterOptions options,
      std::shared_ptr<const FileFacts> facts = nullptr);

  // What it hands out refers to it.
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Plans for the inputs' current shapes and binds memory. State begins at
  // zero, but for shared resources. Afterwards inputs are to be set. Does
  // nothing if nothing changed. What the old plan held is given back before
  // the new one takes more. Errors: those of planning; kIo where memory is
  // too small. Then nothing is held.
  Status AllocateTensors();
  // Another shape from the next AllocateTensors on.
  Status ResizeInput(size_t i, graph::Shape shape);
  // Errors: kUsage before AllocateTensors, or with an input that was recycled
  // and not set again; those of the kernels, naming the operator.
  Status Invoke();

  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return outputs_.size(); }
  std::string_view InputName(size_t i) const { return inputs_[i].name; }
  std::string_view OutputName(size_t i) const { return outputs_[i].name; }

  // To write to: counts as setting the input.
  Result<TensorView> input(size_t i);
  // Errors: kUsage before a run, or if its bytes were recycled since.
  Result<TensorView> output(size_t i) const;
  // Any tensor of the entry's subgraph. Errors: kUsage if its bytes were
  // recycled, with the operator that overwrote them.
  Result<TensorView> tensor(graph::TensorId id) const;

  // From the next AllocateTensors on, the input or output lies in the
  // caller's memory, at a multiple of 64; without an address: in the arena
  // again. Errors (kUsage) from AllocateTensors if it is too small or not
  // aligned, if the tensor never lies in the arena, or if two of them, or one
  // and planned memory, have bytes in common.
  Status UseMemoryForInput(size_t i, std::span<std::byte> memory);
  Status UseMemoryForOutput(size_t i, std::span<std::byte> memory);

  // Variables to zero, shared ones too; what CALL_ONCE initialises is
  // initialised again.
  void ResetVariables();
  // Gives the arena and the overflow region back until AllocateTensors, which
  // takes them again under the same plan. State stays, inputs are to be set.
  void ReleaseNonPersistent();

  MemoryUse memory() const;
  // Null before AllocateTensors.
  const Program* program() const { return program_.get(); }
  std::byte* arena_data() { return arena_.data(); }
  void SetObserver(Observer* observer) { options_.observer = observer; }

 private:
  struct Binding {
    std::string name;
    graph::TensorId tensor;
    std::span<std::byte> memory;  // The caller's; may be empty.
    bool set = false;             // Inputs: its value is there.
  };

  Interpreter(graph::Model model, InterpreterOptions options,
              std::shared_ptr<const FileFacts> facts);
  Status FindEntry();
  ProgramOptions MakeProgramOptions() const;
  Status BuildProgram();
  Result<plan::Plan> PlanCached(const PlanCache::Key& key,
                                const plan::Problem& problem);
  Status Reacquire();
  Status CommitMemory();
  Status CutBlock();
  Status BindMemory();
  Status PlaceOutside();
  Status PlaceOne(const Binding& binding);
  Status CheckApart() const;
  void ClearState(bool shared);
  void ReleaseAll();
  bool IsReady() const;
  Status CheckInputs() const;
  TensorView ViewOf(graph::TensorId id) const;
  // Who overwrote the tensor before the run was over; nothing if nobody did.
  std::optional<graph::OperatorRef> OverwrittenBy(graph::TensorId id) const;
  void MarkRecycledInputs();

  graph::Model model_;  // As it came, whenever there is no program.
  InterpreterOptions options_;
  std::shared_ptr<const FileFacts> facts_;
  std::vector<Binding> inputs_;
  std::vector<Binding> outputs_;
  graph::ShapeOverrides shapes_;
  PlanCache plans_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Executor> executor_;
  Arena arena_;
  Arena persistent_;
  Overflow overflow_;
  Bytes needed_ = 0;
  bool changed_ = true;
  bool released_ = false;
  bool ran_ = false;
};

}  // namespace stowplan::runtime
