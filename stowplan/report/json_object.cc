// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/json_object.h"

#include <utility>

#include "stowplan/report/names.h"

namespace stowplan::report {
namespace {

void AppendEscaped(char c, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\r':
      *out += "\\r";
      return;
    case '\t':
      *out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<uint8_t>(c);
  if (byte >= 0x20) {
    *out += c;
    return;
  }
  *out += "\\u00";
  *out += kHex[byte >> 4];
  *out += kHex[byte & 15];
}

}  // namespace

std::string JsonString(std::string_view text) {
  const std::string valid = ToUtf8(text);
  std::string out = "\"";
  out.reserve(valid.size() + 2);
  for (char c : valid) AppendEscaped(c, &out);
  return out + "\"";
}

void JsonObject::Key(std::string_view key) {
  text_ += text_.size() == 1 ? "\"" : ",\"";
  text_ += key;
  text_ += "\":";
}

JsonObject& JsonObject::Add(std::string_view key, int64_t value) {
  Key(key);
  text_ += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key, bool value) {
  Key(key);
  text_ += value ? "true" : "false";
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key, std::string_view value) {
  Key(key);
  text_ += JsonString(value);
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key,
                            const std::optional<int64_t>& value) {
  Key(key);
  text_ += value ? std::to_string(*value) : "null";
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key,
                            std::span<const int64_t> values) {
  Key(key);
  text_ += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ',';
    text_ += std::to_string(values[i]);
  }
  text_ += ']';
  return *this;
}

JsonObject& JsonObject::AddFraction(std::string_view key,
                                    int64_t basis_points) {
  Key(key);
  const std::string digits = std::to_string(10000 + basis_points % 10000);
  std::string decimals = digits.substr(1);
  while (decimals.size() > 1 && decimals.back() == '0') decimals.pop_back();
  text_ += std::to_string(basis_points / 10000) + '.' + decimals;
  return *this;
}

JsonObject& JsonObject::AddRaw(std::string_view key, std::string_view json) {
  Key(key);
  text_ += json;
  return *this;
}

std::string JsonObject::Take() {
  text_ += '}';
  return std::move(text_);
}

std::string JsonArray(std::span<const std::string> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += values[i];
  }
  return text + "]";
}

}  // namespace stowplan::report
