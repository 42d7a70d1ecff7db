// SPDX-License-Identifier: Apache-2.0
//
// Follows a run: time and heap of every operator, and a line for those who
// wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stowplan/graph/model.h"
#include "stowplan/profile/allocation_count.h"
#include "stowplan/runtime/observer.h"

namespace stowplan::cli {

class RunWatch : public runtime::Observer {
 public:
  struct Row {
    graph::OperatorRef op;
    std::string type;
    int64_t calls = 0;
    double us = 0;           // Callees included.
    Bytes output_bytes = 0;  // Of the last call.
  };

  // Itself asks for memory only here. `model` must outlive it.
  RunWatch(const graph::Model& model, int runs, bool progress);
  ~RunWatch() override;

  // Run number `run`, from 1. Counts from now on alone if `restart`.
  void BeginRun(int run, bool restart);
  void Before(const runtime::OperatorEvent& event) override;
  void After(const runtime::OperatorEvent& event) override;
  // Takes the progress line away.
  void ClearProgress();

  // In the order of the file, operators that did not run left out.
  std::vector<Row> Rows() const;
  // The first operator to end that asked the heap for memory.
  std::optional<Row> offender() const;

 private:
  struct Count {
    int64_t calls = 0;
    double us = 0;
    Bytes output_bytes = 0;
  };
  // An operator that has begun.
  struct Begun {
    std::chrono::steady_clock::time_point time;
    profile::AllocationCount count;
  };

  Row RowOf(graph::OperatorRef op) const;
  void ShowProgress(graph::OperatorRef op);

  const graph::Model& model_;
  std::vector<std::vector<Count>> counts_;  // By subgraph, operator.
  std::vector<Begun> begun_;                // Callers before their callees.
  graph::OperatorRef offender_;             // Invalid: nobody.
  int runs_;
  int run_ = 0;
  bool progress_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_line_;
};

}  // namespace stowplan::cli
