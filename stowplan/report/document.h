// SPDX-License-Identifier: Apache-2.0
//
// Everything a report says, as plain values. Built once; every renderer turns
// it into its own form and computes no figures of its own.
//
//   Model, MemoryNeeds, Outcome --Build--> Document --+--> text, csv, lines
//                                                     +--> json
//                                                     '--> svg, html
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/graph/model.h"
#include "stowplan/plan/live_range.h"
#include "stowplan/report/engine_rows.h"
#include "stowplan/schedule/kinds.h"
#include "stowplan/solve/outcome.h"

namespace stowplan::report {

// All names in a document are valid UTF-8 (names.h) but otherwise as in the
// file. Indices of tensors and operators count inside their subgraph.

struct OperatorLabel {
  int64_t subgraph = 0;
  std::optional<int64_t> index;  // Nothing: a subgraph without operators.
  std::string type;              // "CONV_2D".
  std::string name;              // Its own name, mostly empty.
};

// One row a tensor, then one a scratch buffer.
struct TensorRow {
  int64_t subgraph = 0;
  std::optional<int64_t> tensor;  // Nothing for scratch.
  std::string name;
  schedule::Kind kind = schedule::Kind::kNone;
  std::string dtype;                  // Empty for scratch.
  std::optional<graph::Shape> shape;  // Nothing if not even the rank is known.
  Bytes bytes = 0;
  std::optional<Bytes> offset;  // In the arena or in persistent memory.
  std::optional<plan::Step> begin, end;  // Half-open; arena and dynamic only.
  std::optional<int64_t> alias_of;       // The tensor whose bytes it shares.
  std::optional<int64_t> producer, last_reader;  // Operators.
  std::string producer_type, last_reader_type;   // "CONV_2D"; may be empty.
  std::optional<int64_t> owner;                  // Scratch: its operator.
  std::optional<int64_t> buffer;                 // Index into `buffers`.
  // Of other engines only:
  std::optional<int64_t> arena;          // The subgraph in whose arena it is.
  std::optional<int64_t> engine_tensor;  // The engine's number for scratch.
  std::string phase;                     // When it gets its place, if late.
};

// What lies at one place in the arena: an alias class or scratch.
struct BufferRow {
  std::vector<size_t> rows;  // Into `tensors`; the root first.
  std::optional<Bytes> offset;
  Bytes bytes = 0;  // Before rounding.
  Bytes size = 0;   // Rounded up to the alignment.
  plan::LiveRange live;
  std::string made_by;  // Operator type; "input" or "scratch".
  bool at_peak = false;
};

struct StepRow {
  OperatorLabel op;
  Bytes live_bytes = 0;  // Unrounded.
};

struct PeakBuffer {
  size_t buffer = 0;
  size_t row = 0;  // The tensor of it that is live at the peak.
  Bytes bytes = 0;
  bool used = false;  // By the peak's operator or one that called it.
};

// The first step at which the most bytes are alive.
struct Peak {
  plan::Step step = 0;
  OperatorLabel op;
  Bytes bytes = 0;                  // Sum of `buffers`, unrounded.
  std::vector<PeakBuffer> buffers;  // Largest first.
};

struct DynamicRow {
  int64_t subgraph = 0;
  int64_t tensor = 0;
  std::string name;
  std::string because;
};

// An operator that calls subgraphs: what lies under what.
struct CallRow {
  plan::Step step = 0;
  plan::Step end = 0;  // Behind the last step of the callees.
  OperatorLabel op;
  std::vector<int64_t> callees;
  Bytes outer_bytes = 0;  // Of its callers, live during the whole call.
  Bytes inner_bytes = 0;  // Most that the callees have live at once on top.
};

// A right to overwrite an input that was refused.
struct RefusalRow {
  OperatorLabel op;
  int64_t input = 0;
  int64_t blocker = 0;
  std::string text;
};

// What one rule changed would do to the lower bound of the arena (no plan is
// made for it) and to persistent memory.
struct Price {
  std::string option;  // "--inputs keep".
  Bytes lower_bound = 0;
  Bytes arena_difference = 0;  // Against this document's lower bound.
  Bytes persistent_difference = 0;
};

struct Advice {
  enum class Kind { kNone, kPlanner, kOrder, kModel };
  Kind kind = Kind::kNone;
  std::string text;  // One sentence.
};

struct Options {
  Bytes alignment = 64;
  std::string inputs, outputs, in_place, order, solver;
  bool fold_constants = true;
  std::vector<std::string> keep;  // Names of tensors.
};

struct Arena {
  Bytes bytes = 0;
  Bytes lower_bound = 0;   // That one step proves: plan::LowerBound.
  Bytes proved_bound = 0;  // Higher if search excluded plans below it.
  solve::Verdict verdict = solve::Verdict::kUnknown;
  solve::Proof proof = solve::Proof::kLoad;
  std::string found_by;  // The solver whose plan it is.
  Bytes naive_bytes = 0;
  Bytes max_live_bytes = 0;   // Unrounded.
  Bytes alignment_waste = 0;  // lower_bound - max_live_bytes.
};

struct Document {
  std::string engine = "stowplan";
  std::string path;
  Bytes file_bytes = 0;
  bool mapped = true;  // The constants are read where they lie in the file.
  int64_t subgraphs = 0;
  int64_t operators = 0;
  Options options;
  Arena arena;
  Bytes persistent_bytes = 0;
  Bytes mapped_bytes = 0;
  Peak peak;
  std::vector<TensorRow> tensors;
  std::vector<BufferRow> buffers;
  std::vector<StepRow> steps;
  std::vector<DynamicRow> dynamic;
  std::vector<CallRow> calls;
  std::vector<RefusalRow> refusals;
  std::vector<Price> prices;
  Advice advice;
  std::vector<std::string> notes;

  std::vector<ArenaRow> arenas;     // Of engines with one a subgraph.
  std::optional<TflmFigures> tflm;  // Of TFLM.
  std::vector<EngineRow> engines;   // Side by side, if asked for.
};

std::string_view NameOf(Advice::Kind kind);

// "CONV_2D stem (operator 3)"; the subgraph is named if it is not the first.
std::string Describe(const OperatorLabel& op);

// What to call the tensor of a row: its name or else "tensor 12".
std::string DisplayName(const TensorRow& row);

}  // namespace stowplan::report
