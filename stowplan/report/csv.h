// SPDX-License-Identifier: Apache-2.0
//
// The per-tensor table as CSV (RFC 4180, but lines end in LF).
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// A header and a row for each of the document's tensors; what does not apply
// is empty, text is quoted, dimensions are joined by 'x'. O(document).
std::string ToCsv(const Document& document);

}  // namespace stowplan::report
