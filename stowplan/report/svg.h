// SPDX-License-Identifier: Apache-2.0
//
// The arena as a picture: steps across, offsets up, one rectangle a buffer,
// and below it the bytes that are alive at each step.
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// One SVG element, valid as a file and inside HTML; light or dark as the
// reader prefers. Texts inside rectangles and strokes around them are left
// out where they have no room. The same document gives the same bytes on
// every machine. O(document).
std::string ToSvg(const Document& document);

}  // namespace stowplan::report
