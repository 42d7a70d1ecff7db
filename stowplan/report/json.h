// SPDX-License-Identifier: Apache-2.0
//
// The document as JSON, schema "stowplan.plan/1" (docs/interface.md).
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// One JSON object and a line end: sections on lines of their own, and in
// lists a line a row. All sizes exact, all text valid UTF-8. O(document).
std::string ToJson(const Document& document);

}  // namespace stowplan::report
