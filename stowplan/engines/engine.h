// SPDX-License-Identifier: Apache-2.0
//
// What every engine's model answers: this graph under these rules -> every
// piece of memory with its place, its live range and its owner, by phase.
//
//   PlanLiteRt(model, options)  -> Layout    each a pure function; the rules
//   PlanTflm(model, options)    -> Layout    of one engine
//   PlanStowplan(needs, plan)   -> Layout
//
// A Layout is plain data, so that plans of other tools can be judged and
// compared as well as those we compute.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/graph/ref.h"
#include "stowplan/plan/live_range.h"
#include "stowplan/schedule/timeline.h"

namespace stowplan::engines {

// One stretch of memory in which offsets count.
struct Region {
  enum class Kind {
    kArena,       // Planned; bytes are used again during a run.
    kPersistent,  // Nothing in it ever dies: LiteRT's persistent arena.
    kTail,        // TFLM: the arena's upper end, offsets from the lowest byte.
    kTemporary,   // TFLM: above the head while it prepares and plans.
    kHeap,        // Blocks of their own; pieces have no offsets.
  };
  Kind kind = Kind::kArena;
  // Whose arena it is; invalid where all subgraphs share it.
  graph::SubgraphId subgraph;
  Bytes bytes = 0;  // Its extent: the highest end of a piece. Heap: the sum.
};

enum class Owner {
  kTensor,      // A tensor's value that a run writes.
  kScratch,     // An operator's own, during its step.
  kPersistent,  // Outlives a run: variables, folded constants, kernels' caches.
  kDynamic,     // On the heap, sized when the model runs.
  kBookkeeping,  // The engine's own: structures, tables, handles.
};

// "tensor", "scratch", "persistent", "dynamic", "bookkeeping".
std::string_view NameOf(Owner owner);
// "arena", "persistent", "tail", "temporary", "heap".
std::string_view NameOf(Region::Kind kind);

// Half-open positions in Layout::phases; by default all of them.
struct PhaseRange {
  size_t begin = 0;
  size_t end = SIZE_MAX;

  friend bool operator==(const PhaseRange&, const PhaseRange&) = default;
};

// The label of a piece that a handle of a resource variable names: the
// variable's own bytes.
constexpr std::string_view kVariableLabel = "variable";

struct Piece {
  Owner owner = Owner::kTensor;
  size_t region = 0;        // Position in Layout::regions.
  graph::TensorRef tensor;  // Invalid for what is no tensor of the file.
  graph::OperatorRef op;    // Producer, or whose scratch; invalid if none.
  std::string label;        // What it is, where no tensor says it: "im2col".
  std::optional<int32_t> engine_index;  // The engine's own number for it: a
                                        // tensor that a kernel added.
  Bytes bytes = 0;
  std::optional<Bytes> offset;  // In its region; nothing on the heap, for no
                                // bytes, or if it is not known.
  plan::LiveRange live;         // Steps of Layout::timeline.
  graph::TensorRef alias_of;    // Whose bytes it is given on purpose.
  PhaseRange phases;            // While which it exists.
};

// A part of an engine's work with a memory need of its own. For LiteRT and
// ours there is one, "run".
struct Phase {
  std::string name;  // "prepare", "plan", "run", ...
  Bytes bytes = 0;   // The most that it needs, all regions together.
};

struct Layout {
  std::string engine;   // "stowplan", "litert", "tflm", or a file's name.
  Bytes alignment = 1;  // Of offsets in the arenas; 1 if it is not known.
  schedule::Timeline timeline;
  std::vector<Region> regions;
  // Tensors in ascending order (subgraph, tensor), then the rest in the order
  // in which the engine makes it.
  std::vector<Piece> pieces;
  std::vector<Phase> phases;
  std::vector<std::string> notes;  // What a reader must know, in sentences.

  // By subgraph, tensor: the piece that holds it; nothing for constants, for
  // tensors without memory.
  std::vector<std::vector<std::optional<size_t>>> piece_of;
};

// Fills `piece_of` from `pieces` and the extents of `regions`; called once by
// whoever builds a layout. O(pieces + tensors).
void IndexPieces(const graph::Model& model, Layout* layout);

// The extents of all regions of that kind together.
Bytes BytesOf(const Layout& layout, Region::Kind kind);

}  // namespace stowplan::engines
