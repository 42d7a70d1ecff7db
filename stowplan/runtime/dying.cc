// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/dying.h"

#include <algorithm>

namespace stowplan::runtime {
namespace {

using graph::SubgraphId;
using graph::TensorRef;
using plan::BufferId;

// The buffers that end at each step.
std::vector<std::vector<BufferId>> BuffersByEnd(const Program& program) {
  std::vector<std::vector<BufferId>> by_end(
      static_cast<size_t>(program.needs().timeline.end()) + 1);
  for (size_t i = 0; i < program.problem().size(); ++i) {
    const plan::Buffer& buffer = program.problem().buffers()[i];
    if (buffer.size == 0) continue;
    by_end[static_cast<size_t>(buffer.live.end)].push_back(
        BufferId::FromIndex(i));
  }
  return by_end;
}

// Only buffers of the operator's own subgraph, and not what a caller still
// copies. What a loop carries is its caller's: the callees' tensors that lie
// there end with the loop at the latest.
bool DiesWith(const Program& program, BufferId id, SubgraphId subgraph) {
  const schedule::BufferContent& content = program.needs().contents[id.index()];
  if (content.tensors.empty()) return content.scratch_of.subgraph == subgraph;
  if (content.tensors.front().subgraph != subgraph) return false;
  return std::none_of(
      content.tensors.begin(), content.tensors.end(), [&](TensorRef tensor) {
        const auto& outputs = program.model().subgraph(subgraph).outputs;
        return tensor.subgraph == subgraph &&
               std::find(outputs.begin(), outputs.end(), tensor.tensor) !=
                   outputs.end();
      });
}

}  // namespace

DyingBuffers::DyingBuffers(const Program& program) {
  for (const graph::Subgraph& subgraph : program.model().subgraphs) {
    after_.emplace_back(subgraph.operators.size());
  }
  const std::vector<std::vector<BufferId>> by_end = BuffersByEnd(program);
  for (const schedule::StepInfo& step : program.needs().timeline.steps) {
    if (!step.op.op.valid()) continue;
    auto& into = after_[step.op.subgraph.index()][step.op.op.index()];
    for (BufferId id : by_end[static_cast<size_t>(step.span.end)]) {
      if (DiesWith(program, id, step.op.subgraph)) into.push_back(id);
    }
  }
}

}  // namespace stowplan::runtime
