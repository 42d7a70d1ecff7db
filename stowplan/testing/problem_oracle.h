// SPDX-License-Identifier: Apache-2.0
//
// What is true about small problems, found the slowest and plainest way. It
// shares no code with plan::Validate, plan::LowerBound or any solver.
#pragma once

#include <optional>

#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"

namespace stowplan::testing {

// The bytes that a buffer at offset 0 uses at `step`, if any.
std::optional<ByteRange> UsedAt(const plan::Buffer& buffer, plan::Step step);

// Whether the plan keeps every rule, by looking at every pair of buffers at
// every step at which something changes. O(n^2 * (n + gaps)).
bool IsValidPlan(const plan::Problem& problem, const plan::Plan& plan);

// The largest sum of bytes in use at one step. O(n * (n + gaps)).
Bytes MaxLoad(const plan::Problem& problem);

// The least peak of all plans that keep every rule, if one has a peak of at
// most `limit`. Tries every offset of every buffer: exponential.
std::optional<Bytes> LeastPeak(const plan::Problem& problem, Bytes limit);

}  // namespace stowplan::testing
