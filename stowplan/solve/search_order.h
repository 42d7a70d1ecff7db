// SPDX-License-Identifier: Apache-2.0
//
// Which item to try first where several may start, and how long to try: the
// member of a portfolio that a slice of the search belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/solve/search_model.h"

namespace stowplan::solve {

// The `index`-th term (from 0) of 1, 1, 2, 1, 1, 2, 4, ...: the order of
// restarts that is within a logarithm of the best for any unknown run-time
// distribution (Luby, Sinclair, Zuckerman, Optimal speedup of Las Vegas
// algorithms, 1993).
int64_t Luby(int64_t index);

// The `index`-th term (from 0) of 1/2, 1/4, 3/4, 1/8, ... as a part of
// `whole`: targets spread evenly over what is open (van der Corput).
Bytes SpreadPart(int64_t index, Bytes whole);

// Whether slice `index` uses the rule of families.
inline bool WithFamilies(int64_t index) { return index % 2 == 1; }

// Whether slice `index` may branch anywhere, or has to at the lowest place:
// in long problems that are easy but for one step, as those of whole networks
// often are, that is the shorter way.
inline bool WithFailFirst(int64_t index) { return index % 8 != 3; }

// The ranks by item for slice `index` of a run seeded with `seed`. The first
// three are plain: time in use, area, size, the largest first; the later ones
// are the same with noise, where families are in use one for the whole family
// so that its larger members stay first.
std::vector<int64_t> SearchRanks(const SearchModel& model, int64_t index,
                                 uint64_t seed);

}  // namespace stowplan::solve
