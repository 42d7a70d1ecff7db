// SPDX-License-Identifier: Apache-2.0
//
// The judge of any engine's plan: a symbolic run of the model in the memory
// that the plan gives it. Each operator writes the value of its outputs into
// their bytes; each read must find there the value that its producer wrote.
//
//   offset        d = MUL(c)
//    8192 +------------##########   a, b and c are one value under three
//         | a = b = c  #   d    #   shapes; d is another one over the same
//    4096 +------------##########   bytes, and ADD(d, b) finds d where it
//         0   1   2    3   4 step   wants b: a violation.
//
// It knows nothing of how plans come to be and relies on no live range.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/engines/engine.h"
#include "stowplan/graph/ref.h"
#include "stowplan/plan/live_range.h"

namespace stowplan::engines {

// A read that does not find its value.
struct BrokenRead {
  plan::Step step = 0;        // Of the reader; the end of the run for those
                              // who read after it.
  graph::OperatorRef reader;  // Invalid: the caller, after the run.
  graph::TensorRef tensor;    // What was to be read,
  graph::OperatorRef writer;  // and who writes it; invalid for inputs.
  graph::OperatorRef overwritten_by;  // Invalid: the caller; see `written`.
  graph::TensorRef overwriting;       // The other tensor; invalid for scratch.
  bool written = true;                // False: nobody ever wrote these bytes.
  size_t region = 0;                  // Position in Layout::regions.
  ByteRange bytes;                    // The first that hold something else.

  friend bool operator==(const BrokenRead&, const BrokenRead&) = default;
};

struct Replay {
  std::vector<BrokenRead> violations;  // In the order of the run.
  std::vector<std::string> notes;      // What could not be judged, and why.
  size_t reads = 0;                    // That were checked.

  bool ok() const { return violations.empty(); }
};

struct ReplayOptions {
  // Whether the outputs must be readable after the run.
  bool keep_outputs = true;
  size_t most_violations = 64;  // Then it stops.
};

// Runs the model twice, so that state and constants that are computed once
// are read in the second run as the first left them; loops run their body
// twice; of branches each is run from the same state.
// - A view hands its value on; an operator that may overwrite an operand
//   (OpTraits, or its own claim) may do so if its output lies exactly on it.
// - Scratch destroys what lies under it, operands too.
// - Tensors without an offset have bytes of their own.
// O(steps * pieces at worst, log pieces as a rule).
Replay ReplayPlan(const graph::Model& model, const Layout& layout,
                  const ReplayOptions& options = {});

// One sentence, such as "operator 4 (ADD) reads tensor 2 (b) at step 4, but
// operator 3 (MUL) has written tensor 5 (d) over its bytes [4096, 8192)".
std::string Describe(const graph::Model& model, const BrokenRead& broken);

}  // namespace stowplan::engines
