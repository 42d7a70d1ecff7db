// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/names.h"

namespace stowplan::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD.

uint8_t At(std::string_view text, size_t i) {
  return i < text.size() ? static_cast<uint8_t>(text[i]) : 0;
}

bool Between(uint8_t byte, uint8_t low, uint8_t high) {
  return low <= byte && byte <= high;
}

// The length of the valid sequence at `i`, 0 if there is none. The second
// byte's range excludes overlong forms, surrogates and what is over U+10FFFF.
size_t SequenceLength(std::string_view text, size_t i) {
  const uint8_t lead = At(text, i);
  if (lead < 0x80) return 1;
  const uint8_t second = At(text, i + 1);
  if (Between(lead, 0xC2, 0xDF)) return Between(second, 0x80, 0xBF) ? 2 : 0;
  const bool third = Between(At(text, i + 2), 0x80, 0xBF);
  if (Between(lead, 0xE0, 0xEF)) {
    const uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = lead == 0xED ? 0x9F : 0xBF;
    return Between(second, low, high) && third ? 3 : 0;
  }
  if (Between(lead, 0xF0, 0xF4)) {
    const uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
    return Between(second, low, high) && third &&
                   Between(At(text, i + 3), 0x80, 0xBF)
               ? 4
               : 0;
  }
  return 0;
}

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// U+0080 to U+009F: C2 80 to C2 9F.
bool IsC1Control(std::string_view text, size_t i) {
  return At(text, i) == 0xC2 && Between(At(text, i + 1), 0x80, 0x9F);
}

// Where character number `count` begins.
size_t OffsetOf(std::string_view text, size_t count) {
  size_t i = 0;
  while (i < text.size()) {
    if (!IsContinuation(text[i]) && count-- == 0) break;
    ++i;
  }
  return i;
}

}  // namespace

std::string ToUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    if (length == 0) {
      out += kReplacement;
      ++i;
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

std::string ToPrintable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsC1Control(text, i)) {
      out += '?';
      ++i;
    } else {
      const uint8_t byte = At(text, i);
      out += byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
  }
  return out;
}

std::string ToXml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += ' ';
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) {
          out += kReplacement;
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string ToCsv(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

size_t LengthOf(std::string_view text) {
  size_t length = 0;
  for (char c : text) length += IsContinuation(c) ? 0 : 1;
  return length;
}

std::string Shorten(std::string_view text, size_t length) {
  const size_t all = LengthOf(text);
  if (all <= length) return std::string(text);
  const size_t front = (length - 2) / 2;
  const size_t back = length - 2 - front;
  return std::string(text.substr(0, OffsetOf(text, front))) + ".." +
         std::string(text.substr(OffsetOf(text, all - back)));
}

}  // namespace stowplan::report
