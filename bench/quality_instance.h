// SPDX-License-Identifier: Apache-2.0
//
// The problems that the quality benchmark runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stowplan/plan/problem.h"

namespace stowplan::bench {

struct Instance {
  std::string set;   // The folder, or "tilings", "heavy".
  std::string name;  // The file without .csv, or what it was made from.
  plan::Problem problem;
  std::optional<Bytes> optimum;  // Where the generator knows it.
};

// One CSV file; nothing, with a message on stderr, if it cannot be read.
std::optional<Instance> ReadInstance(const std::string& path);

// Dense tilings with a known optimum, and heavy-tailed problems from 1,000 to
// `largest` buffers.
std::vector<Instance> MakeInstances(int64_t largest);

}  // namespace stowplan::bench
