// SPDX-License-Identifier: Apache-2.0
//
// From a problem on which a test fails to a small one on which it still does.
#pragma once

#include <functional>
#include <string>

#include "stowplan/plan/problem.h"

namespace stowplan::testing {

// Delta debugging (Zeller & Hildebrandt, Simplifying and isolating
// failure-inducing input, TSE 2002): drops halves, quarters, ... of the
// buffers, then pins, gaps and alignments, and makes sizes and live ranges
// smaller, for as long as `fails` stays true.
// REQUIRES: fails(problem); `fails` gives the same answer every time.
plan::Problem ShrinkProblem(
    plan::Problem problem,
    const std::function<bool(const plan::Problem&)>& fails);

// The problem as CSV, to be printed with a failure.
std::string ToCsv(const plan::Problem& problem);

}  // namespace stowplan::testing
