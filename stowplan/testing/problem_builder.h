// SPDX-License-Identifier: Apache-2.0
//
// Short ways to write a problem down in a test.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "stowplan/plan/problem.h"

namespace stowplan::testing {

inline plan::Buffer MakeBuffer(Bytes size, plan::LiveRange live,
                               Bytes alignment = 1,
                               std::optional<Bytes> pinned = std::nullopt,
                               std::vector<plan::Gap> gaps = {}) {
  return {size, alignment, live, pinned, std::move(gaps)};
}

// REQUIRES: valid buffers.
inline plan::Problem MakeProblem(std::vector<plan::Buffer> buffers,
                                 std::optional<Bytes> capacity = std::nullopt) {
  return plan::Problem::Create(std::move(buffers), capacity).value();
}

}  // namespace stowplan::testing
