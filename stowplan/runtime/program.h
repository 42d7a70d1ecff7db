// SPDX-License-Identifier: Apache-2.0
//
// A model made ready to run from one entry with given shapes: shapes
// inferred, kernels prepared, memory planned. Memory itself is bound later.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/infer_shapes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/runtime/bound_graph.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::runtime {

// Where each buffer lies: problem in, plan out.
using Planner = std::function<Result<plan::Plan>(const plan::Problem& problem)>;

struct ProgramOptions {
  schedule::Rules rules;
  kernels::Arithmetic arithmetic = kernels::Arithmetic::kFloat;
  graph::ShapeOverrides shapes;
  // Tensors that lie in the caller's memory; the arena has no bytes for them.
  std::vector<graph::TensorRef> external;
};

class Program {
 public:
  // `model`, `facts` and `registry` must outlive the program. As long as it
  // lives, the model has the inferred shapes and the kernels' scratch and
  // rights, and nobody else may use it; then it is as it was before. Errors:
  // those of shape inference, operators without a kernel (all of them in one
  // error), kernels that refuse their node, and the planner's. A plan that
  // breaks a rule of the problem is kInternal.
  static Result<std::unique_ptr<Program>> Build(
      graph::Model& model, const FileFacts& facts,
      const kernels::Registry& registry, const Planner& planner,
      const ProgramOptions& options);

  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const graph::Model& model() const { return model_; }
  // Its problem and its refusals are empty.
  const schedule::MemoryNeeds& needs() const { return needs_; }
  const plan::Plan& plan() const { return plan_; }
  // The problem that `plan` answers. Buffers that lie in the caller's memory
  // have no bytes in it.
  const plan::Problem& problem() const { return problem_; }
  Bytes arena_bytes() const { return arena_bytes_; }
  Bytes persistent_bytes() const { return persistent_bytes_; }
  graph::SubgraphId entry() const { return needs_.rules.entry; }

  // Points every tensor to its bytes. REQUIRES: arena_bytes() and
  // persistent_bytes() of memory, aligned to the rules' alignment.
  void Bind(std::byte* arena, std::byte* persistent);
  // Puts one tensor elsewhere. REQUIRES: Bind was called.
  void Place(graph::TensorRef tensor, std::byte* data) {
    bound_.tensor(tensor).data = data;
  }

  BoundGraph& bound() { return bound_; }
  const BoundGraph& bound() const { return bound_; }
  const schedule::TensorKind& KindOf(graph::TensorRef tensor) const {
    return needs_.kinds.at(tensor);
  }

  // What becomes of an operator at a run.
  enum class Action : uint8_t {
    kRun,
    kFold,     // Ran once, into persistent memory.
    kNothing,  // A view of bytes that never change.
    kDynamic,  // Its shapes are known only then.
  };
  Action ActionOf(graph::OperatorRef op) const {
    return actions_[op.subgraph.index()][op.op.index()];
  }

 private:
  explicit Program(graph::Model& model);
  Status Prepare(const FileFacts& facts, const kernels::Registry& registry,
                 const ProgramOptions& options);
  Status PrepareKernel(graph::OperatorRef op);
  Status MakePlan(const Planner& planner,
                  const std::vector<graph::TensorRef>& external);
  Status MakeProblem(const std::vector<graph::TensorRef>& external);
  void FindActions(graph::SubgraphId id);
  void BindViewsOfConstants(graph::SubgraphId id);
  void BindScratch(std::byte* arena, std::byte* persistent);

  graph::Model& model_;
  graph::InferenceReport shapes_;
  // What operators had before their kernels said what they need.
  std::vector<std::pair<graph::OperatorRef, Bytes>> former_scratch_;
  // Operators whose rights their kernels said.
  std::vector<graph::OperatorRef> claimed_;
  schedule::MemoryNeeds needs_;
  plan::Problem problem_;
  plan::Plan plan_;
  Bytes alignment_ = 0;
  Bytes arena_bytes_ = 0;
  Bytes persistent_bytes_ = 0;
  BoundGraph bound_;
  std::vector<std::vector<Action>> actions_;  // By subgraph, operator.
  std::vector<graph::SubgraphId> reached_;
};

}  // namespace stowplan::runtime
