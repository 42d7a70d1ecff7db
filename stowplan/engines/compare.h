// SPDX-License-Identifier: Apache-2.0
//
// Why an engine's arena is as large as it is, and larger or smaller than
// another's: in bytes that add up, and in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"
#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

enum class Cause {
  kLiveTensors,     // What is alive at once under the best sound rules.
  kInPlace,         // Other sharing than the best sound one.
  kKeptInputs,      // Inputs that are kept after their last reader.
  kUnreadOutputs,   // Outputs that nobody reads and that are kept.
  kLongerLives,     // Other tensors that are held longer than they are needed.
  kScratch,         // Memory of operators for themselves.
  kAlignment,       // Offsets at multiples.
  kSeparateArenas,  // Subgraphs that do not share an arena.
  kGap,             // What the placement leaves empty.
};

// "live tensors", "in-place", "kept inputs", ...
std::string_view NameOf(Cause cause);

// What the arena would grow by if this rule were added to those before it.
struct Reason {
  Cause cause = Cause::kLiveTensors;
  Bytes bytes = 0;   // Negative: the rule saves memory.
  std::string text;  // One sentence that names the largest contributors.
};

struct Account {
  std::string engine;
  Bytes arena = 0;              // All arenas together.
  std::vector<Reason> reasons;  // One for each cause, in the order above; their
                                // bytes add up to `arena`.
};

// Each figure but the last is the most that is alive at one step under the
// rules so far. Tensors and scratch in the arenas count; persistent memory and
// the heap do not. Errors: kBadInput as schedule::FindMemoryNeeds.
// O(pieces + steps) for each cause.
Result<Account> ExplainArena(const graph::Model& model, const Layout& layout);

// The reasons why `a` needs more (positive) or less than `b`, the largest
// first; those of 0 bytes are left out. They add up to a.arena - b.arena.
std::vector<Reason> CompareArenas(const Account& a, const Account& b);

}  // namespace stowplan::engines
