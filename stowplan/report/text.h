// SPDX-License-Identifier: Apache-2.0
//
// The document for a terminal: a dozen lines that a person reads, then, if
// wanted, a line a tensor.
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

struct TextOptions {
  bool color = false;  // ANSI colours and bold.
  bool table = true;   // The table of tensors behind the summary.
  size_t width = 100;  // Where the summary's lines are broken.
};

// UTF-8 without control characters but line ends (and, with `color`, the
// escapes for it). O(document).
std::string ToText(const Document& document, const TextOptions& options = {});

}  // namespace stowplan::report
