// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/graph/shape_contradiction.h"
#include "stowplan/plan/validate.h"
#include "stowplan/runtime/rights.h"

namespace stowplan::runtime {
namespace {

using graph::OperatorId;
using graph::OperatorRef;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using plan::BufferId;
using schedule::Kind;

std::string PlaceOf(const graph::Model& model, OperatorRef op) {
  return "subgraph " + std::to_string(op.subgraph.value()) + ", operator " +
         std::to_string(op.op.value()) + " (" +
         model.subgraph(op.subgraph).operators[op.op.index()].type + ")";
}

// Inputs are written by who calls, which constants, maybe mapped from a file,
// do not bear.
Status CheckInputs(const graph::Model& model, SubgraphId id) {
  const graph::Subgraph& subgraph = model.subgraph(id);
  for (TensorId input : subgraph.inputs) {
    if (!subgraph.tensor(input).constant) continue;
    return BadInput("subgraph " + std::to_string(id.value()),
                    "its input " + graph::PlaceOf(subgraph, input) +
                        " is constant and would be written",
                    "take it off the list of inputs in the file");
  }
  return {};
}

}  // namespace

Program::Program(graph::Model& model) : model_(model) {}

Program::~Program() {
  graph::RestoreShapes(shapes_, &model_);
  for (const auto& [op, scratch] : former_scratch_) {
    model_.subgraph(op.subgraph).operators[op.op.index()].scratch = scratch;
  }
  for (const OperatorRef& op : claimed_) {
    model_.subgraph(op.subgraph).operators[op.op.index()].in_place.reset();
  }
}

Result<std::unique_ptr<Program>> Program::Build(
    graph::Model& model, const FileFacts& facts,
    const kernels::Registry& registry, const Planner& planner,
    const ProgramOptions& options) {
  std::unique_ptr<Program> program(new Program(model));
  STOWPLAN_TRY(report, graph::InferShapes(&model, options.shapes));
  program->shapes_ = std::move(report);
  STOWPLAN_RETURN_IF_ERROR(program->Prepare(facts, registry, options));
  schedule::Rules rules = options.rules;
  rules.outside = options.external;
  STOWPLAN_TRY(
      needs, schedule::FindMemoryNeeds(model, rules, program->shapes_.unknown));
  program->needs_ = std::move(needs);
  program->needs_.refusals = {};  // For reports; they may be many.
  STOWPLAN_RETURN_IF_ERROR(program->MakePlan(planner, options.external));
  for (SubgraphId id : program->reached_) program->FindActions(id);
  return program;
}

Status Program::Prepare(const FileFacts& facts,
                        const kernels::Registry& registry,
                        const ProgramOptions& options) {
  alignment_ = options.rules.alignment;
  STOWPLAN_RETURN_IF_ERROR(CheckAlignment(alignment_));
  STOWPLAN_TRY(timeline, schedule::MakeTimeline(model_, options.rules.entry));
  reached_ = schedule::ReachedSubgraphs(timeline);
  STOWPLAN_TRY(bound, BoundGraph::Create(model_, facts, registry,
                                         options.arithmetic, reached_));
  bound_ = std::move(bound);
  for (SubgraphId id : reached_) {
    STOWPLAN_RETURN_IF_ERROR(CheckInputs(model_, id));
    for (size_t i = 0; i < model_.subgraph(id).operators.size(); ++i) {
      STOWPLAN_RETURN_IF_ERROR(PrepareKernel({id, OperatorId::FromIndex(i)}));
    }
  }
  return {};
}

// An operator with a tensor of unknown size is prepared when it runs.
Status Program::PrepareKernel(OperatorRef ref) {
  graph::Subgraph& subgraph = model_.subgraph(ref.subgraph);
  graph::Operator& op = subgraph.operators[ref.op.index()];
  BoundOperator& bound = bound_.op(ref);
  if (bound.kernel == nullptr) {
    bound.prepared = true;
    return {};
  }
  for (const auto* ids : {&op.inputs, &op.outputs}) {
    for (TensorId id : *ids) {
      if (!id.valid()) continue;
      const graph::Tensor& tensor = subgraph.tensor(id);
      if (tensor.shape && tensor.shape->size() > kernels::kMaxRank) {
        return BadInput(PlaceOf(model_, ref),
                        "a tensor has more than " +
                            std::to_string(kernels::kMaxRank) + " dimensions",
                        "reshape it in the model");
      }
      if (!graph::SizeOf(tensor) || !ToKernelShape(tensor.shape)) return {};
    }
  }
  // Kernels write what the inputs give into outputs of these shapes.
  if (auto wrong = graph::ShapeContradiction(subgraph, op)) {
    return BadInput(PlaceOf(model_, ref), *std::move(wrong),
                    "mend the shapes in the file; it cannot run like this");
  }
  Result<kernels::Needs> needs = bound.kernel->prepare(bound.node);
  if (!needs) {
    Error error = std::move(needs).error();
    error.where = PlaceOf(model_, ref) + ", " + error.where;
    return tl::unexpected(std::move(error));
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckNeeds(*needs, alignment_, PlaceOf(model_, ref)));
  bound.persistent = needs->persistent;
  bound.prepared = true;
  if (op.scratch != needs->scratch) {
    former_scratch_.emplace_back(ref, op.scratch);
    op.scratch = needs->scratch;
  }
  if (const auto claim = ClaimOf(subgraph, op, needs->in_place)) {
    claimed_.push_back(ref);
    op.in_place = claim;
  }
  return {};
}

Status Program::MakePlan(const Planner& planner,
                         const std::vector<TensorRef>& external) {
  STOWPLAN_RETURN_IF_ERROR(MakeProblem(external));
  STOWPLAN_TRY(plan, planner(problem_));
  if (const auto violation = plan::Validate(problem_, plan)) {
    return tl::unexpected(Error{ErrorKind::kInternal, "planner",
                                "its plan is wrong: " + violation->ToString(),
                                "report it to those who made the planner"});
  }
  plan_ = std::move(plan);
  for (size_t i = 0; i < problem_.size(); ++i) {
    arena_bytes_ =
        std::max(arena_bytes_, plan_.offsets[i] + problem_.buffers()[i].size);
  }
  persistent_bytes_ = needs_.persistent_bytes;
  for (SubgraphId id : reached_) {
    for (const BoundOperator& op : bound_.subgraph(id).operators) {
      persistent_bytes_ += AlignUp(op.persistent, 64);
    }
  }
  return {};
}

// The buffers that lie in the caller's memory take none of the arena.
Status Program::MakeProblem(const std::vector<TensorRef>& external) {
  problem_ = std::exchange(needs_.problem, {});
  if (external.empty()) return {};
  std::vector<plan::Buffer> buffers = problem_.buffers();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto& tensors = needs_.contents[i].tensors;
    const bool elsewhere =
        !tensors.empty() &&
        std::all_of(tensors.begin(), tensors.end(), [&](TensorRef tensor) {
          return std::find(external.begin(), external.end(), tensor) !=
                 external.end();
        });
    if (elsewhere) buffers[i].size = 0;
  }
  STOWPLAN_TRY(problem, plan::Problem::Create(std::move(buffers)));
  problem_ = std::move(problem);
  return {};
}

void Program::FindActions(SubgraphId id) {
  actions_.resize(model_.subgraphs.size());
  const graph::Subgraph& subgraph = model_.subgraph(id);
  std::vector<Action>& actions = actions_[id.index()];
  for (size_t i = 0; i < subgraph.operators.size(); ++i) {
    const graph::Operator& op = subgraph.operators[i];
    Action action = bound_.subgraph(id).operators[i].prepared
                        ? Action::kRun
                        : Action::kDynamic;
    const bool plain = !op.outputs.empty() && !IsControl(op.kind);
    if (plain && needs_.kinds.at({id, op.outputs[0]}).kind == Kind::kMapped) {
      action = Action::kNothing;
    } else if (plain && !subgraph.tensor(op.outputs[0]).variable &&
               needs_.kinds.at({id, op.outputs[0]}).kind == Kind::kPersistent) {
      const bool view =
          graph::TraitsOf(op.kind).sharing == graph::Sharing::kView;
      action = view ? Action::kNothing : Action::kFold;
    }
    for (TensorId output : op.outputs) {
      if (output.valid() && !IsControl(op.kind) &&
          needs_.kinds.at({id, output}).kind == Kind::kDynamic) {
        action = Action::kDynamic;
      }
    }
    actions.push_back(action);
  }
}

void Program::Bind(std::byte* arena, std::byte* persistent) {
  for (SubgraphId id : reached_) {
    BoundSubgraph& subgraph = bound_.subgraph(id);
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      kernels::Tensor& tensor = subgraph.tensors[t];
      const schedule::TensorKind& kind = needs_.kinds.of[id.index()][t];
      if (tensor.constant) continue;
      tensor.data = nullptr;
      tensor.bytes = kind.bytes;
      const BufferId buffer = needs_.buffer_of[id.index()][t];
      if (kind.kind == Kind::kArena && buffer.valid()) {
        tensor.data = arena + plan_.offset(buffer);
      } else if (const auto& place = needs_.persistent_offset[id.index()][t]) {
        tensor.data = persistent + *place;
      }
    }
    BindViewsOfConstants(id);
  }
  BindScratch(arena, persistent);
}

void Program::BindViewsOfConstants(SubgraphId id) {
  const graph::Subgraph& subgraph = model_.subgraph(id);
  for (const graph::Operator& op : subgraph.operators) {
    if (op.outputs.empty() || op.inputs.empty() || !op.inputs[0].valid()) {
      continue;
    }
    kernels::Tensor& output = bound_.tensor({id, op.outputs[0]});
    if (needs_.kinds.at({id, op.outputs[0]}).kind == Kind::kMapped &&
        !output.constant) {
      output.data = bound_.tensor({id, op.inputs[0]}).data;
    }
  }
}

void Program::BindScratch(std::byte* arena, std::byte* persistent) {
  for (size_t i = 0; i < needs_.contents.size(); ++i) {
    const schedule::BufferContent& content = needs_.contents[i];
    if (!content.tensors.empty()) continue;
    bound_.op(content.scratch_of).node.scratch = arena + plan_.offsets[i];
  }
  std::byte* next = persistent + needs_.persistent_bytes;
  for (SubgraphId id : reached_) {
    for (BoundOperator& op : bound_.subgraph(id).operators) {
      op.node.persistent = next;
      next += AlignUp(op.persistent, 64);
    }
  }
}

}  // namespace stowplan::runtime
