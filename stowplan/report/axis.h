// SPDX-License-Identifier: Apache-2.0
//
// Where the ticks of an axis are.
#pragma once

#include <cstdint>
#include <string>

#include "stowplan/base/bytes.h"

namespace stowplan::report {

// The distance of ticks over `range`: a power of two, so that labels are
// round in binary units; at most `most` ticks besides 0. REQUIRES: most > 0.
Bytes ByteTick(Bytes range, int64_t most);

// 1, 2 or 5 times a power of ten. REQUIRES: most > 0.
int64_t StepTick(int64_t range, int64_t most);

// A tick's label: "0", "512 KiB", "1.5 MiB".
std::string TickLabel(Bytes bytes);

}  // namespace stowplan::report
