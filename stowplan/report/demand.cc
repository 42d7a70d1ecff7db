// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/demand.h"

#include <algorithm>

namespace stowplan::report {
namespace {

using graph::OperatorRef;
using graph::TensorId;
using plan::BufferId;
using plan::Step;
using schedule::StepInfo;

void SortUnique(std::vector<BufferId>* ids) {
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

const graph::Operator& OperatorOf(const graph::Model& model, OperatorRef ref) {
  return model.subgraph(ref.subgraph).operators[ref.op.index()];
}

}  // namespace

Demand::Demand(const graph::Model& model, const schedule::MemoryNeeds& needs)
    : model_(model), needs_(needs) {
  for (size_t s = 0; s < needs.refusals.size(); ++s) {
    refusal_of_.emplace_back(model.subgraphs[s].operators.size());
    for (const schedule::Refusal& refusal : needs.refusals[s]) {
      refusal_of_[s][refusal.op.index()] = &refusal;
    }
  }
  // Scratch buffers come behind all tensors, in the order of the steps.
  size_t next = 0;
  while (next < needs.contents.size() && !needs.contents[next].tensors.empty())
    ++next;
  scratch_.resize(needs.timeline.steps.size());
  for (size_t s = 0; s < needs.timeline.steps.size(); ++s) {
    const OperatorRef ref = needs.timeline.steps[s].op;
    if (next == needs.contents.size() || !ref.op.valid()) continue;
    if (OperatorOf(model, ref).scratch == 0) continue;
    if (needs.contents[next].scratch_of == ref) {
      scratch_[s] = BufferId::FromIndex(next++);
    }
  }
}

void Demand::AppendOwn(Step step, std::vector<BufferId>* buffers) const {
  const OperatorRef ref = needs_.timeline.steps[static_cast<size_t>(step)].op;
  if (!ref.op.valid()) return;
  const graph::Operator& op = OperatorOf(model_, ref);
  const std::vector<BufferId>& buffer_of =
      needs_.buffer_of[ref.subgraph.index()];
  for (const std::vector<TensorId>* side : {&op.inputs, &op.outputs}) {
    for (TensorId tensor : *side) {
      if (!tensor.valid()) continue;
      const BufferId buffer = buffer_of[tensor.index()];
      if (buffer.valid()) buffers->push_back(buffer);
    }
  }
  const BufferId scratch = scratch_[static_cast<size_t>(step)];
  if (scratch.valid()) buffers->push_back(scratch);
}

std::vector<BufferId> Demand::BuffersAt(Step step) const {
  std::vector<BufferId> buffers;
  for (Step s = 0; s <= step && s < needs_.timeline.end(); ++s) {
    const StepInfo& info = needs_.timeline.steps[static_cast<size_t>(s)];
    if (info.span.Contains(step)) AppendOwn(s, &buffers);
  }
  SortUnique(&buffers);
  return buffers;
}

// The output that the operator would not need if it came last among the
// readers of its input.
Bytes Demand::SavedInOtherOrder(OperatorRef ref) const {
  const schedule::Refusal* refusal =
      refusal_of_[ref.subgraph.index()][ref.op.index()];
  if (refusal == nullptr) return 0;
  const auto& use = needs_.uses[ref.subgraph.index()][refusal->blocker.index()];
  if (use.last_reader <= ref.op) return 0;
  const BufferId input =
      needs_.buffer_of[ref.subgraph.index()][refusal->input.index()];
  return input.valid() ? needs_.problem.buffer(input).size : 0;
}

Bytes Demand::OwnBytes(Step step) const {
  std::vector<BufferId> buffers;
  AppendOwn(step, &buffers);
  SortUnique(&buffers);
  Bytes sum = 0;
  for (BufferId id : buffers) sum += needs_.problem.buffer(id).size;
  return sum;
}

Demand::Floor Demand::OverAllOrders() const {
  Floor floor;
  if (needs_.rules.in_place == schedule::InPlace::kEngine) return floor;
  struct Call {
    OperatorRef op;
    Step end;
    Bytes bytes;  // Of this operator and those that called it.
  };
  std::vector<Call> calls;
  for (Step s = 0; s < needs_.timeline.end(); ++s) {
    const StepInfo& info = needs_.timeline.steps[static_cast<size_t>(s)];
    while (!calls.empty() && calls.back().end <= s) calls.pop_back();
    Bytes bytes = calls.empty() ? 0 : calls.back().bytes;
    // A callee without operators has a step that repeats its caller's.
    const bool repeats = !calls.empty() && calls.back().op == info.op;
    if (info.op.op.valid() && !repeats) {
      bytes += OwnBytes(s) - SavedInOtherOrder(info.op);
    }
    if (bytes > floor.bytes) floor = {bytes, s};
    if (info.span.end > s + 1) calls.push_back({info.op, info.span.end, bytes});
  }
  return floor;
}

}  // namespace stowplan::report
