// SPDX-License-Identifier: Apache-2.0
//
// Models with random loops, for the rule on where their state may lie.
#pragma once

#include <cstdint>

#include "examples/models.h"

namespace stowplan::tests {

// The same file for the same seed. A loop carries a counter and up to four
// vectors; bodies write in place, hand arguments through, let them change
// places, return a value twice and run loops of their own; conditions look at
// their arguments through views or write over them. A loop runs up to three
// times, or not at all. Some models run two loops over the same subgraphs.
examples::ModelBytes RandomLoopModel(uint64_t seed);

}  // namespace stowplan::tests
