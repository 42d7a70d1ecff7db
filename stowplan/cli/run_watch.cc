// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/run_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
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
    : runs_(runs),
      progress_(progress && isatty(STDERR_FILENO) != 0),
      next_line_(Clock::now() + kPatience) {
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    std::vector<Row>& rows = rows_.emplace_back();
    for (const graph::Operator& op : model.subgraphs[s].operators) {
      Row row;
      row.op = {graph::SubgraphId::FromIndex(s),
                graph::OperatorId::FromIndex(rows.size())};
      row.type = report::ToPrintable(report::ToUtf8(op.type));
      rows.push_back(std::move(row));
    }
  }
}

RunWatch::~RunWatch() { ClearProgress(); }

void RunWatch::BeginRun(int run, bool restart) {
  run_ = run;
  if (!restart) return;
  offender_ = nullptr;
  for (std::vector<Row>& rows : rows_) {
    for (Row& row : rows) {
      row.calls = 0;
      row.us = 0;
      row.allocations = {};
    }
  }
}

void RunWatch::Before(const runtime::OperatorEvent& event) {
  Row& row = RowOf(event.op);
  if (progress_) ShowProgress(row);
  row.before = profile::AllocationsOfThread();
  row.begin = Clock::now();
}

void RunWatch::After(const runtime::OperatorEvent& event) {
  Row& row = RowOf(event.op);
  const std::chrono::duration<double, std::micro> time =
      Clock::now() - row.begin;
  const profile::AllocationCount count =
      profile::AllocationsOfThread() - row.before;
  ++row.calls;
  row.us += time.count();
  row.allocations.calls += count.calls;
  row.allocations.bytes += count.bytes;
  row.output_bytes = 0;
  for (const kernels::Tensor* output : event.outputs) {
    row.output_bytes += output == nullptr ? 0 : output->bytes;
  }
  if (count.calls > 0 && offender_ == nullptr) offender_ = &row;
}

void RunWatch::ShowProgress(const Row& row) {
  const Clock::time_point now = Clock::now();
  if (now < next_line_) return;
  next_line_ = now + kBetweenLines;
  std::array<char, 160> line;
  const int length = std::snprintf(
      line.data(), line.size(),
      "\r\033[Krun %d of %d: subgraph %d, operator %d of %zu, %.40s", run_,
      runs_, static_cast<int>(row.op.subgraph.value()),
      static_cast<int>(row.op.op.value()) + 1,
      rows_[row.op.subgraph.index()].size(), row.type.c_str());
  if (length <= 0) return;
  ToTerminal(
      {line.data(), std::min(static_cast<size_t>(length), line.size() - 1)});
  shown_ = true;
}

void RunWatch::ClearProgress() {
  if (shown_) ToTerminal("\r\033[K");
  shown_ = false;
}

std::vector<RunWatch::Row> RunWatch::Rows() const {
  std::vector<Row> result;
  for (const std::vector<Row>& rows : rows_) {
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(result),
                 [](const Row& row) { return row.calls > 0; });
  }
  return result;
}

}  // namespace stowplan::cli
