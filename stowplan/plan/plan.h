// SPDX-License-Identifier: Apache-2.0
//
// The answer to a Problem: an offset for every buffer.
#pragma once

#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/buffer.h"

namespace stowplan::plan {

// A plain value: anyone may write one, `Validate` judges it.
struct Plan {
  std::vector<Bytes> offsets;  // By BufferId, from the start of the arena.

  Bytes offset(BufferId id) const { return offsets[id.index()]; }

  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace stowplan::plan
