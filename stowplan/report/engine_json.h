// SPDX-License-Identifier: Apache-2.0
//
// The engines' part of the document as JSON; see json.h.
#pragma once

#include <string>

#include "stowplan/report/engine_rows.h"

namespace stowplan::report {

// Each one JSON object. O(row).
std::string RowOf(const ArenaRow& row);
std::string RowOf(const TflmFigures& figures);
std::string RowOf(const EngineRow& row);

}  // namespace stowplan::report
