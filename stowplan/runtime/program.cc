// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/plan/validate.h"

namespace stowplan::runtime {
namespace {

using graph::OperatorId;
using graph::OperatorRef;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using plan::BufferId;
using schedule::Kind;

std::vector<schedule::Dynamic> ToDynamic(const graph::InferenceReport& report) {
  std::vector<schedule::Dynamic> known;
  for (const graph::UnknownShape& unknown : report.unknown) {
    known.push_back({unknown.tensor, unknown.because, unknown.reason});
  }
  return known;
}

std::string PlaceOf(const graph::Model& model, OperatorRef op) {
  return "subgraph " + std::to_string(op.subgraph.value()) + ", operator " +
         std::to_string(op.op.value()) + " (" +
         model.subgraph(op.subgraph).operators[op.op.index()].type + ")";
}

}  // namespace

Result<std::unique_ptr<Program>> Program::Build(
    const graph::Model& model, const FileFacts& facts,
    const kernels::Registry& registry, const Planner& planner,
    const ProgramOptions& options) {
  std::unique_ptr<Program> program(new Program);
  program->model_ = model;
  STOWPLAN_TRY(report, graph::InferShapes(&program->model_, options.shapes));
  STOWPLAN_RETURN_IF_ERROR(program->Prepare(facts, registry, options));
  STOWPLAN_TRY(needs, schedule::FindMemoryNeeds(program->model_, options.rules,
                                                ToDynamic(report)));
  program->needs_ = std::move(needs);
  STOWPLAN_RETURN_IF_ERROR(program->MakePlan(planner, options.external));
  for (SubgraphId id : program->reached_) program->FindActions(id);
  program->FindDying();
  return program;
}

Status Program::Prepare(const FileFacts& facts,
                        const kernels::Registry& registry,
                        const ProgramOptions& options) {
  STOWPLAN_TRY(timeline, schedule::MakeTimeline(model_, options.rules.entry));
  reached_ = schedule::ReachedSubgraphs(timeline);
  STOWPLAN_TRY(bound, BoundGraph::Create(model_, facts, registry,
                                         options.arithmetic, reached_));
  bound_ = std::move(bound);
  for (SubgraphId id : reached_) {
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
  Result<kernels::Needs> needs = bound.kernel->prepare(bound.node);
  if (!needs) {
    Error error = std::move(needs).error();
    error.where = PlaceOf(model_, ref) + ", " + error.where;
    return tl::unexpected(std::move(error));
  }
  bound.needs = *needs;
  bound.prepared = true;
  op.scratch = bound.needs.scratch;
  return {};
}

Status Program::MakePlan(const Planner& planner,
                         const std::vector<TensorRef>& external) {
  std::vector<plan::Buffer> buffers = needs_.problem.buffers();
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
  STOWPLAN_TRY(plan, planner(problem_));
  if (const auto violation = plan::Validate(problem_, plan)) {
    return InternalError("planner", violation->ToString());
  }
  plan_ = std::move(plan);
  for (size_t i = 0; i < problem_.size(); ++i) {
    arena_bytes_ =
        std::max(arena_bytes_, plan_.offsets[i] + problem_.buffers()[i].size);
  }
  persistent_bytes_ = needs_.persistent_bytes;
  for (SubgraphId id : reached_) {
    for (const BoundOperator& op : bound_.subgraph(id).operators) {
      persistent_bytes_ += AlignUp(op.needs.persistent, 64);
    }
  }
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

// Only buffers of the operator's own subgraph, and not what a caller still
// copies.
void Program::FindDying() {
  dying_.resize(model_.subgraphs.size());
  for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
    dying_[s].resize(model_.subgraphs[s].operators.size());
  }
  std::vector<std::vector<BufferId>> by_end(
      static_cast<size_t>(needs_.timeline.end()) + 1);
  for (size_t i = 0; i < problem_.size(); ++i) {
    const plan::Buffer& buffer = problem_.buffers()[i];
    if (buffer.size > 0) {
      by_end[static_cast<size_t>(buffer.live.end)].push_back(
          BufferId::FromIndex(i));
    }
  }
  for (const schedule::StepInfo& step : needs_.timeline.steps) {
    if (!step.op.op.valid()) continue;
    auto& into = dying_[step.op.subgraph.index()][step.op.op.index()];
    for (BufferId id : by_end[static_cast<size_t>(step.span.end)]) {
      const schedule::BufferContent& content = needs_.contents[id.index()];
      const SubgraphId owner = content.tensors.empty()
                                   ? content.scratch_of.subgraph
                                   : content.tensors.front().subgraph;
      bool copied_later = owner != step.op.subgraph;
      for (const TensorRef& tensor : content.tensors) {
        const auto& outputs = model_.subgraph(tensor.subgraph).outputs;
        copied_later =
            copied_later || std::find(outputs.begin(), outputs.end(),
                                      tensor.tensor) != outputs.end();
      }
      if (!copied_later) into.push_back(id);
    }
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
      } else if (kind.kind == Kind::kPersistent) {
        tensor.data = persistent + *needs_.persistent_offset[id.index()][t];
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
      next += AlignUp(op.needs.persistent, 64);
    }
  }
}

}  // namespace stowplan::runtime
