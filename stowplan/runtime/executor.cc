// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/executor.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "stowplan/runtime/arena.h"
#include "stowplan/runtime/dynamic_shapes.h"
#include "stowplan/runtime/rights.h"

namespace stowplan::runtime {
namespace {

using graph::OperatorId;
using graph::OperatorRef;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using schedule::Kind;

Status At(const graph::Model& model, OperatorRef op, Status status) {
  if (status) return status;
  Error error = std::move(status).error();
  const graph::Operator& source =
      model.subgraph(op.subgraph).operators[op.op.index()];
  error.where = "operator " + std::to_string(op.op.value()) + " (" +
                source.type + ")" +
                (error.where == source.type ? "" : ", " + error.where);
  return tl::unexpected(std::move(error));
}

}  // namespace

Executor::Executor(Program& program, Overflow& overflow,
                   std::vector<bool>* called, int64_t max_iterations)
    : program_(program),
      overflow_(overflow),
      max_iterations_(max_iterations),
      own_called_(program.model().subgraphs.size()),
      called_(called != nullptr ? *called : own_called_) {
  for (const graph::Subgraph& subgraph : program.model().subgraphs) {
    held_.emplace_back(subgraph.tensors.size(), 0);
  }
}

Status Executor::SetUp() {
  for (SubgraphId id : schedule::ReachedSubgraphs(program_.needs().timeline)) {
    BoundSubgraph& subgraph = program_.bound().subgraph(id);
    for (size_t i = 0; i < subgraph.operators.size(); ++i) {
      const OperatorRef ref = {id, OperatorId::FromIndex(i)};
      BoundOperator& op = subgraph.operators[i];
      if (op.kernel == nullptr || !op.prepared) continue;
      if (op.kernel->setup != nullptr) {
        STOWPLAN_RETURN_IF_ERROR(
            At(program_.model(), ref, op.kernel->setup(op.node)));
      }
      if (program_.ActionOf(ref) == Program::Action::kFold) {
        STOWPLAN_RETURN_IF_ERROR(
            At(program_.model(), ref, op.kernel->run(op.node)));
      }
    }
  }
  return {};
}

void Executor::Reset() { std::fill(called_.begin(), called_.end(), false); }

Status Executor::Run(Observer* observer) {
  observer_ = observer;
  iterations_ = 0;
  overflow_.Restart();
  for (std::vector<Bytes>& held : held_) {
    std::fill(held.begin(), held.end(), 0);
  }
  return RunSubgraph(program_.entry());
}

Status Executor::RunSubgraph(SubgraphId id) {
  const size_t count = program_.model().subgraph(id).operators.size();
  for (size_t i = 0; i < count; ++i) {
    STOWPLAN_RETURN_IF_ERROR(RunOperator({id, OperatorId::FromIndex(i)}));
  }
  return {};
}

Status Executor::RunOperator(OperatorRef ref) {
  const Program::Action action = program_.ActionOf(ref);
  if (action == Program::Action::kFold || action == Program::Action::kNothing) {
    return {};
  }
  const BoundOperator& op = program_.bound().op(ref);
  const OperatorEvent event = {ref, op.node.type, op.node.outputs};
  if (observer_ != nullptr) observer_->Before(event);
  if (IsControl(OperatorOf(ref).kind)) {
    STOWPLAN_RETURN_IF_ERROR(RunControl(ref));
  } else if (action == Program::Action::kDynamic) {
    STOWPLAN_RETURN_IF_ERROR(At(program_.model(), ref, RunDynamic(ref)));
  } else {
    STOWPLAN_RETURN_IF_ERROR(
        At(program_.model(), ref, op.kernel->run(op.node)));
  }
  if (observer_ != nullptr) observer_->After(event);
  return {};
}

// Shapes first, then memory, then the kernel, which is prepared anew.
Status Executor::RunDynamic(OperatorRef ref) {
  const graph::Operator& op = OperatorOf(ref);
  BoundOperator& bound = program_.bound().op(ref);
  std::vector<kernels::Shape> shapes(op.outputs.size());
  STOWPLAN_RETURN_IF_ERROR(FindOutputShapes(
      program_.model().subgraph(ref.subgraph), op, bound, shapes));
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const TensorRef output = {ref.subgraph, op.outputs[i]};
    if (!output.tensor.valid()) continue;
    if (program_.KindOf(output).kind == Kind::kDynamic) {
      STOWPLAN_RETURN_IF_ERROR(PlaceDynamic(output, shapes[i]));
    } else if (program_.bound().tensor(output).shape != shapes[i]) {
      return BadInput(op.type,
                      "the inputs give output " + std::to_string(i) +
                          " another shape than the file states",
                      "mend the shapes in the file");
    }
  }
  STOWPLAN_TRY(needs, bound.kernel->prepare(bound.node));
  STOWPLAN_RETURN_IF_ERROR(CheckNeeds(needs, Arena::kAlignment, op.type));
  if (needs.persistent > 0) {
    return BadInput(op.type, "it keeps state although its shapes change",
                    "use a kernel without persistent bytes");
  }
  if (needs.scratch > 0) {
    STOWPLAN_TRY(scratch, overflow_.Take(needs.scratch, op.type));
    bound.node.scratch = scratch;
  }
  return bound.kernel->run(bound.node);
}

Status Executor::PlaceDynamic(TensorRef ref, const kernels::Shape& shape) {
  const graph::Subgraph& subgraph = program_.model().subgraph(ref.subgraph);
  kernels::Tensor& tensor = program_.bound().tensor(ref);
  const auto bytes =
      BytesOf(subgraph.tensor(ref.tensor).dtype, shape.elements());
  if (!bytes) {
    return BadInput(graph::PlaceOf(subgraph, ref.tensor),
                    "its type has no fixed size", "the model cannot run");
  }
  Bytes& held = held_[ref.subgraph.index()][ref.tensor.index()];
  if (tensor.data == nullptr || held < *bytes || held == 0) {
    STOWPLAN_TRY(place,
                 overflow_.Take(*bytes, graph::PlaceOf(subgraph, ref.tensor)));
    tensor.data = place;
    held = std::max<Bytes>(*bytes, 1);
  }
  tensor.shape = shape;
  tensor.bytes = *bytes;
  return {};
}

Status Executor::CountIteration(OperatorRef ref) {
  if (iterations_++ < max_iterations_) return {};
  return At(program_.model(), ref,
            BadInput("subgraph " + std::to_string(ref.subgraph.value()),
                     "the run has looped " + std::to_string(max_iterations_) +
                         " times, which is its limit",
                     "raise InterpreterOptions::max_iterations"));
}

Status Executor::Copy(TensorRef from, TensorRef to) {
  const kernels::Tensor& source = program_.bound().tensor(from);
  kernels::Tensor& target = program_.bound().tensor(to);
  if (program_.KindOf(to).kind == Kind::kDynamic) {
    STOWPLAN_RETURN_IF_ERROR(PlaceDynamic(to, source.shape));
  }
  if (target.type == kernels::Type::kResource) return {};
  if (source.bytes != target.bytes) {
    return BadInput(
        graph::PlaceOf(program_.model().subgraph(to.subgraph), to.tensor),
        "it is given " + std::to_string(source.bytes) + " bytes and has " +
            std::to_string(target.bytes),
        "caller and callee must agree on shapes");
  }
  if (source.bytes > 0 && source.data != target.data) {
    std::memmove(target.data, source.data, static_cast<size_t>(source.bytes));
  }
  return {};
}

}  // namespace stowplan::runtime
