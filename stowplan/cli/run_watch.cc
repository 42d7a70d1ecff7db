// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/run_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "stowplan/report/names.h"

namespace stowplan::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A run that is over sooner needs no line.
constexpr milliseconds kPatience(500);
constexpr milliseconds kBetweenLines(100);

// Not through a stream, which may ask for memory.
void ToTerminal(std::string_view text) {
  // A line that cannot be shown is no reason to stop.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

RunWatch::RunWatch(const graph::Model& model, int runs, bool progress)
    : model_(model),
      runs_(runs),
      progress_(progress && isatty(STDERR_FILENO) != 0),
      next_line_(Clock::now() + kPatience) {
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    counts_.emplace_back(subgraph.operators.size());
  }
  begun_.reserve(model.subgraphs.size());  // Calls form no cycle.
}

RunWatch::~RunWatch() { ClearProgress(); }

void RunWatch::BeginRun(int run, bool restart) {
  run_ = run;
  if (!restart) return;
  offender_ = {};
  for (std::vector<Count>& counts : counts_) {
    std::fill(counts.begin(), counts.end(), Count());
  }
}

void RunWatch::Before(const runtime::OperatorEvent& event) {
  if (progress_) ShowProgress(event.op);
  begun_.push_back({Clock::now(), profile::AllocationsOfThread()});
}

void RunWatch::After(const runtime::OperatorEvent& event) {
  const std::chrono::duration<double, std::micro> time =
      Clock::now() - begun_.back().time;
  const profile::AllocationCount asked =
      profile::AllocationsOfThread() - begun_.back().count;
  begun_.pop_back();
  Count& count = counts_[event.op.subgraph.index()][event.op.op.index()];
  ++count.calls;
  count.us += time.count();
  count.output_bytes = 0;
  for (const kernels::Tensor* output : event.outputs) {
    count.output_bytes += output == nullptr ? 0 : output->bytes;
  }
  if (asked.calls > 0 && !offender_.op.valid()) offender_ = event.op;
}

void RunWatch::ShowProgress(graph::OperatorRef op) {
  const Clock::time_point now = Clock::now();
  if (now < next_line_) return;
  next_line_ = now + kBetweenLines;
  const std::vector<graph::Operator>& operators =
      model_.subgraph(op.subgraph).operators;
  // What runs has a kernel or is known by its kind, so its name is printable.
  std::array<char, 160> line;
  const int length = std::snprintf(
      line.data(), line.size(),
      "\r\033[Krun %d of %d: subgraph %d, operator %d of %zu, %.40s", run_,
      runs_, static_cast<int>(op.subgraph.value()),
      static_cast<int>(op.op.value()) + 1, operators.size(),
      operators[op.op.index()].type.c_str());
  if (length <= 0) return;
  ToTerminal(
      {line.data(), std::min(static_cast<size_t>(length), line.size() - 1)});
  shown_ = true;
}

void RunWatch::ClearProgress() {
  if (shown_) ToTerminal("\r\033[K");
  shown_ = false;
}

RunWatch::Row RunWatch::RowOf(graph::OperatorRef op) const {
  const Count& count = counts_[op.subgraph.index()][op.op.index()];
  const std::string& type =
      model_.subgraph(op.subgraph).operators[op.op.index()].type;
  return {op, report::ToPrintable(report::ToUtf8(type)), count.calls, count.us,
          count.output_bytes};
}

std::optional<RunWatch::Row> RunWatch::offender() const {
  if (!offender_.op.valid()) return std::nullopt;
  return RowOf(offender_);
}

std::vector<RunWatch::Row> RunWatch::Rows() const {
  std::vector<Row> rows;
  for (size_t s = 0; s < counts_.size(); ++s) {
    for (size_t i = 0; i < counts_[s].size(); ++i) {
      if (counts_[s][i].calls == 0) continue;
      rows.push_back(RowOf(
          {graph::SubgraphId::FromIndex(s), graph::OperatorId::FromIndex(i)}));
    }
  }
  return rows;
}

}  // namespace stowplan::cli
