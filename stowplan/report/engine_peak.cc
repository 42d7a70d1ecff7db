// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/engine_peak.h"

#include <algorithm>

namespace stowplan::report {
namespace {

using graph::OperatorRef;
using plan::Step;

// The operator that runs at the step, and those that called it.
std::vector<OperatorRef> OperatorsAt(const schedule::Timeline& timeline,
                                     Step step) {
  std::vector<OperatorRef> operators;
  for (const schedule::StepInfo& info : timeline.steps) {
    if (info.span.Contains(step) && info.op.op.valid()) {
      operators.push_back(info.op);
    }
  }
  return operators;
}

bool IsUsed(const graph::Model& model, OperatorRef ref, const TensorRow& row) {
  if (row.subgraph != ref.subgraph.value()) return false;
  if (!row.tensor) return row.owner == ref.op.value();
  const graph::Operator& op =
      model.subgraph(ref.subgraph).operators[ref.op.index()];
  const graph::TensorId id(static_cast<int32_t>(*row.tensor));
  return std::find(op.inputs.begin(), op.inputs.end(), id) != op.inputs.end() ||
         std::find(op.outputs.begin(), op.outputs.end(), id) !=
             op.outputs.end();
}

// The first tensor of the buffer that is itself live at the step.
size_t LiveRow(const Document& document, const BufferRow& buffer, Step step) {
  for (size_t row : buffer.rows) {
    const TensorRow& tensor = document.tensors[row];
    if (tensor.begin && *tensor.begin <= step && step < *tensor.end) {
      return row;
    }
  }
  return buffer.rows.front();
}

}  // namespace

void FindEnginePeak(const graph::Model& model,
                    const schedule::Timeline& timeline, Document* document) {
  Peak& peak = document->peak;
  const auto& steps = document->steps;
  const auto most = std::max_element(steps.begin(), steps.end(),
                                     [](const StepRow& a, const StepRow& b) {
                                       return a.live_bytes < b.live_bytes;
                                     });
  if (most == steps.end()) return;
  peak.step = static_cast<Step>(most - steps.begin());
  peak.op = most->op;
  peak.bytes = most->live_bytes;
  const std::vector<OperatorRef> operators = OperatorsAt(timeline, peak.step);
  for (size_t b = 0; b < document->buffers.size(); ++b) {
    BufferRow& buffer = document->buffers[b];
    if (!buffer.live.Contains(peak.step)) continue;
    buffer.at_peak = true;
    bool used = false;
    for (OperatorRef ref : operators) {
      for (size_t row : buffer.rows) {
        used = used || IsUsed(model, ref, document->tensors[row]);
      }
    }
    peak.buffers.push_back(
        {b, LiveRow(*document, buffer, peak.step), buffer.bytes, used});
  }
  std::stable_sort(peak.buffers.begin(), peak.buffers.end(),
                   [](const PeakBuffer& a, const PeakBuffer& b) {
                     return a.bytes > b.bytes;
                   });
}

}  // namespace stowplan::report
