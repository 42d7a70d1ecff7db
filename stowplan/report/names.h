// SPDX-License-Identifier: Apache-2.0
//
// Names come from files and may hold anything: bytes that are no UTF-8,
// quotes, markup, terminal escapes. Here they are made fit for each place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stowplan::report {

// The text with every byte that is no part of valid UTF-8 (Unicode 15,
// table 3-7) replaced by U+FFFD. O(text), as all functions here.
std::string ToUtf8(std::string_view text);

// For a terminal: control characters are replaced by '?', so that a name can
// neither move the cursor nor break a line. REQUIRES: valid UTF-8.
std::string ToPrintable(std::string_view text);

// For the text and the attributes of XML and HTML: markup is escaped, control
// characters that XML forbids become U+FFFD. REQUIRES: valid UTF-8.
std::string ToXml(std::string_view text);

// A field of RFC 4180, always quoted.
std::string ToCsv(std::string_view text);

// At most `length` characters; of a longer text the front and the end, with
// ".." in between. REQUIRES: valid UTF-8, length >= 4.
std::string Shorten(std::string_view text, size_t length);

// The number of characters. REQUIRES: valid UTF-8.
size_t LengthOf(std::string_view text);

}  // namespace stowplan::report
