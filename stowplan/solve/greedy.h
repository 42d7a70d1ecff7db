// SPDX-License-Identifier: Apache-2.0
//
// Greedy planning: one buffer after the other, none ever moved again.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"
#include "stowplan/solve/sections.h"

namespace stowplan::solve {

enum class Fit {
  kLowest,  // At the lowest offset that is free.
  kBest,    // In the smallest hole that holds it, else on top.
};

// Places the buffers in `order`; pinned ones lie where they must. A buffer
// with gaps has no single hole and always takes its lowest offset. The
// capacity is not looked at.
//
// Nothing if the plan would come to a peak of `give_up` or more, since the
// caller has one as good, or if `stop`, which is asked now and then, says so.
//
// O(n log n * ranges), where ranges is how many separate ranges of bytes the
// ArenaMap keeps at a node; few, since greedy plans are close.
// REQUIRES: `order` holds every buffer once, the pinned ones first; `sections`
// of the same problem.
std::optional<plan::Plan> PlaceInOrder(const plan::Problem& problem,
                                       const Sections& sections,
                                       std::span<const Index> order, Fit fit,
                                       std::optional<Bytes> give_up = {},
                                       const std::function<bool()>& stop = {});

}  // namespace stowplan::solve
