// SPDX-License-Identifier: Apache-2.0
//
// The exact stage: finds a plan of least peak and proves it, as far as its
// budget goes. It asks for a plan at the lower bound first and goes up from
// there; an exhausted search raises the bound. It honours alignments, pinned
// offsets, gaps with and without windows, and the capacity, all together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"

namespace stowplan::solve {

// What the search may use to cut its tree. Each can be switched off and the
// answer of a finished search stays the same; only its cost changes.
struct ExactRules {
  // Per section, buffers wait for the floor below them; without it only the
  // sum of what is left above the section's floor counts.
  bool release_bound = true;
  // No hole may stay empty that could hold a buffer placed above it.
  bool dominance = true;
  // Identical buffers are stacked in the order of their ids.
  bool twins = true;
  // Of two buffers that conflict with the same others and touch each other,
  // the larger lies below. (Half of the restarts do without: it helps where
  // there is no plan and hurts where there are many.)
  bool families = true;
  // A buffer with no other left to conflict with is placed without a choice.
  bool hatless = true;
  // Parts of the problem that no longer conflict are searched one by one.
  bool decomposition = true;
  // Branch where the fewest choices are left and conflicts were found before,
  // not at the lowest place.
  bool fail_first = true;
};

struct ExactProgress {
  int64_t nodes = 0;
  Bytes peak = 0;  // 0: none yet.
  Bytes lower_bound = 0;
};

struct ExactOptions {
  // The budget in nodes of the search tree, over all threads.
  int64_t max_nodes = 10'000'000;
  // Looked at only if given; an answer that hits it is not reproducible.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::stop_token stop;
  // Changes how long it takes, never the answer.
  int threads = 1;
  uint64_t seed = 0;
  ExactRules rules;
  // Also re-solve windows of the best plan, which proves nothing but gets
  // further than the whole where the problem is large.
  bool windows = true;
  // A valid plan to improve on.
  std::optional<plan::Plan> incumbent;
  // A bound that the caller has proved; 0 for none.
  Bytes lower_bound = 0;
  // Called now and then, from the calling thread.
  std::function<void(const ExactProgress&)> progress;
};

struct ExactOutcome {
  // The best valid plan known, within the problem's capacity.
  std::optional<plan::Plan> plan;
  Bytes peak = 0;  // Of `plan`.
  // Proved: no plan has a lower peak. Over the capacity if none fits.
  Bytes lower_bound = 0;
  // Nothing is left to find: the peak meets the bound or no plan fits.
  bool exhausted = false;
  int64_t nodes = 0;
  // Over every choice of the search, to tell whether two runs were the same.
  uint64_t search_hash = 0;
};

// Always returns a valid plan if the incumbent is one. Deterministic for
// given options and without a deadline or a stop.
ExactOutcome SolveExact(const plan::Problem& problem,
                        const ExactOptions& options);

}  // namespace stowplan::solve
