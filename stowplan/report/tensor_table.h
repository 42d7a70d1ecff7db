// SPDX-License-Identifier: Apache-2.0
//
// Where every tensor lies, in aligned columns.
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// A header, a line a tensor and scratch buffer, and a line that counts what is
// left out: constants in the file and tensors that need no bytes. O(document).
std::string TensorTable(const Document& document);

}  // namespace stowplan::report
