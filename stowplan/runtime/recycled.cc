// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/recycled.h"

#include <algorithm>

namespace stowplan::runtime {
namespace {

using graph::OperatorRef;
using graph::TensorId;
using graph::TensorRef;
using plan::BufferId;

ByteRange RangeOf(const Program& program, BufferId id) {
  const Bytes offset = program.plan().offset(id);
  return {offset, offset + program.problem().buffer(id).size};
}

bool Overlaps(const ByteRange& a, const ByteRange& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

BufferId BufferOf(const Program& program, TensorRef tensor) {
  return program.needs()
      .buffer_of[tensor.subgraph.index()][tensor.tensor.index()];
}

// The steps of what the tensor's operator calls: whatever they write, the
// operator gives its output the value after them.
plan::LiveRange CalleeSteps(const Program& program,
                            const schedule::TensorUse& use,
                            graph::SubgraphId subgraph) {
  if (!use.producer.valid()) return {};
  const OperatorRef producer = {subgraph, use.producer};
  const auto& steps = program.needs().timeline.steps;
  for (size_t s = static_cast<size_t>(use.live.begin); s < steps.size(); ++s) {
    if (steps[s].op == producer) {
      return {steps[s].span.begin + 1, steps[s].span.end};
    }
  }
  return {};
}

// Whether `output` shows the bytes of `tensor` unchanged.
bool IsViewOf(const Program& program, TensorRef output, TensorRef tensor) {
  const auto& classes = program.needs().aliases[output.subgraph.index()];
  const graph::Subgraph& subgraph = program.model().subgraph(output.subgraph);
  while (output != tensor) {
    const auto& use =
        program.needs().uses[output.subgraph.index()][output.tensor.index()];
    const TensorId source = classes.alias_of[output.tensor.index()];
    if (!source.valid() || !use.producer.valid() ||
        output.subgraph != tensor.subgraph) {
      return false;
    }
    const graph::Operator& op = subgraph.operators[use.producer.index()];
    const bool view =
        op.in_place ? op.in_place->kind == graph::InPlaceClaim::Kind::kView
                    : graph::TraitsOf(op.kind).sharing == graph::Sharing::kView;
    if (!view) return false;
    output.tensor = source;
  }
  return true;
}

}  // namespace

std::optional<OperatorRef> OverwriterOf(const Program& program,
                                        TensorRef tensor) {
  const BufferId own = BufferOf(program, tensor);
  if (!own.valid() || program.problem().buffer(own).size == 0) {
    return std::nullopt;
  }
  const schedule::TensorUse& use =
      program.needs().uses[tensor.subgraph.index()][tensor.tensor.index()];
  const ByteRange range = RangeOf(program, own);
  const plan::LiveRange callees = CalleeSteps(program, use, tensor.subgraph);
  const auto& steps = program.needs().timeline.steps;
  for (plan::Step step = use.live.begin; step < program.needs().timeline.end();
       ++step) {
    if (callees.Contains(step)) continue;
    const OperatorRef ref = steps[static_cast<size_t>(step)].op;
    if (!ref.op.valid()) continue;
    const graph::Operator& op =
        program.model().subgraph(ref.subgraph).operators[ref.op.index()];
    for (TensorId id : op.outputs) {
      const TensorRef output = {ref.subgraph, id};
      if (output == tensor) continue;
      const BufferId buffer = BufferOf(program, output);
      if (buffer.valid() && Overlaps(RangeOf(program, buffer), range) &&
          !IsViewOf(program, output, tensor) &&
          !IsViewOf(program, tensor, output)) {
        return ref;
      }
    }
    if (op.scratch == 0) continue;
    for (size_t i = 0; i < program.needs().contents.size(); ++i) {
      if (program.needs().contents[i].scratch_of == ref &&
          Overlaps(RangeOf(program, BufferId::FromIndex(i)), range)) {
        return ref;
      }
    }
  }
  return std::nullopt;
}

}  // namespace stowplan::runtime
