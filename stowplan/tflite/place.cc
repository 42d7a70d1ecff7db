// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/place.h"

#include <algorithm>
#include <cstdio>

namespace stowplan::tflite {

std::string Printable(std::string_view name) {
  constexpr size_t kLongest = 96;
  std::string text;
  for (char c : name.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      text += c;
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += escaped;
  }
  return name.size() > kLongest ? text + "..." : text;
}

std::string_view ViewOf(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view()
                         : std::string_view(text->c_str(), text->size());
}

std::string_view NameOf(const schema::OperatorCode& code) {
  const schema::BuiltinOperator builtin = BuiltinOf(code);
  return builtin == schema::BuiltinOperator::CUSTOM
             ? ViewOf(code.custom_code())
             : schema::EnumNameBuiltinOperator(builtin);
}

schema::BuiltinOperator BuiltinOf(const schema::OperatorCode& code) {
  return std::max(code.builtin_code(), static_cast<schema::BuiltinOperator>(
                                           code.deprecated_builtin_code()));
}

std::string PlaceOf(std::string_view kind, size_t index, std::string_view name,
                    const std::byte* file, const void* table) {
  std::string place(kind);
  place += ' ';
  place += std::to_string(index);
  if (!name.empty()) place += " (" + Printable(name) + ")";
  place += " at byte ";
  place += std::to_string(static_cast<const std::byte*>(table) - file);
  return place;
}

}  // namespace stowplan::tflite
