// SPDX-License-Identifier: Apache-2.0
//
// What a document says of engines: their arenas, TFLM's own bytes, and why
// each engine takes what it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stowplan/base/bytes.h"

namespace stowplan::report {

// One subgraph's own arenas, in engines that have several.
struct ArenaRow {
  int64_t subgraph = 0;
  Bytes bytes = 0;
  Bytes persistent_bytes = 0;
};

// A part of an engine's work with a memory need of its own.
struct PhaseRow {
  std::string name;
  Bytes bytes = 0;  // The least arena for this phase alone.
};

// Bytes of an engine's own: no tensor's and no scratch.
struct KeepRow {
  std::string what;
  std::string region;  // "tail" or "temporary".
  std::string phase;   // The first in which it is there.
  std::optional<int64_t> subgraph, op;
  Bytes bytes = 0;
  std::optional<Bytes> offset;  // In its region.
};

struct TflmFigures {
  Bytes least_arena_bytes = 0;
  Bytes head_bytes = 0;
  Bytes tail_bytes = 0;
  std::vector<PhaseRow> phases;
  int64_t pointer_bytes = 4;
  std::string build;                        // "plain" or "wheel".
  std::vector<std::string> without_kernel;  // TFLM would not run the model.
  std::vector<KeepRow> kept;
};

struct ReasonRow {
  std::string cause;  // "kept inputs".
  Bytes bytes = 0;
  std::string text;  // One sentence.
};

// One engine beside the others.
struct EngineRow {
  std::string engine;
  std::string error;  // Why it has no plan; the rest is then empty.
  Bytes arena_bytes = 0;
  Bytes persistent_bytes = 0;              // TFLM: the tail.
  Bytes heap_bytes = 0;                    // Of known size.
  std::optional<Bytes> least_arena_bytes;  // TFLM.
  std::vector<ReasonRow> reasons;          // Add up to `arena_bytes`.
  // Against the first engine, the largest first; they add up to the
  // difference of `arena_bytes`. Empty for the first.
  std::vector<ReasonRow> differences;
  int64_t violations = 0;  // Reads that do not find their value.
  std::string first_violation;
  std::vector<std::string> notes;
};

}  // namespace stowplan::report
