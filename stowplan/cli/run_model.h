// SPDX-License-Identifier: Apache-2.0
//
// Executes a model from its plan and measures it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stowplan/base/dtype.h"
#include "stowplan/base/error.h"
#include "stowplan/cli/model_options.h"
#include "stowplan/cli/run_watch.h"
#include "stowplan/profile/allocation_count.h"
#include "stowplan/runtime/audit.h"

namespace stowplan::cli {

struct RunOptions {
  ModelOptions model;
  std::vector<std::string> inputs;
  std::optional<int> runs;  // Nothing: 1, or 2 where allocations are judged.
  int threads = 1;
  std::string arithmetic = "float";
  bool audit = false;
  bool assert_no_alloc = false;
  std::string output_dir;  // Empty: outputs are not written.
  bool force = false;
  bool quiet = false;
};

// Microseconds of a run. Those after the first where there are any, since
// the first also maps the weights.
struct Latency {
  double median = 0;
  double p95 = 0;
  double min = 0;
  double first = 0;
};

// What the process holds after the last run. All up to `rest` add up to
// `peak_rss`.
struct RunMemory {
  Bytes start = 0;           // Resident before the model was opened.
  Bytes mapped_touched = 0;  // Pages of the model's file.
  Bytes arena = 0;
  Bytes persistent = 0;
  Bytes overflow = 0;
  Bytes heap = 0;     // What else the heap holds, above what it held at start.
  Bytes program = 0;  // Pages of the program and its libraries, since start.
  Bytes rest = 0;     // What preparing took and gave back, and the stack.
  Bytes peak_rss = 0;
  Bytes proportional = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  int64_t overflow_growths = 0;
};

struct RunValue {
  std::string name;
  DType dtype = DType::kFloat32;
  graph::Shape shape;
  std::string text;  // An input's source, an output's SHA-256.
};

struct RunResult {
  std::string path;
  int runs = 0;
  int threads = 1;
  std::string arithmetic;
  Latency latency;
  profile::AllocationCount prepare;
  profile::AllocationCount first_invoke;
  profile::AllocationCount per_invoke;  // The most of a run after the first.
  std::optional<RunWatch::Row> offender;
  RunMemory memory;
  std::vector<std::string> overflow_tensors;  // Names, in the file's order.
  std::vector<RunWatch::Row> operators;
  std::vector<RunValue> inputs;
  std::vector<RunValue> outputs;
  bool audited = false;
  std::optional<runtime::AuditFinding> finding;
};

// Errors: those of reading, planning and running; kUsage for options that
// make no sense together or files that are in the way.
Result<RunResult> RunModel(const RunOptions& options);

}  // namespace stowplan::cli
