// SPDX-License-Identifier: Apache-2.0
//
// The document as one page that opens offline: no network, no other files.
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// Complete without JavaScript; with it the table of tensors can be sorted and
// filtered. Light or dark as the reader prefers. O(document).
std::string ToHtml(const Document& document);

}  // namespace stowplan::report
