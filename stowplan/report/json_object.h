// SPDX-License-Identifier: Apache-2.0
//
// JSON text, written in the order in which it is said. A plan of thousands of
// tensors is written several times as fast as through a tree of values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stowplan::report {

// The text as a JSON string with its quotes; what is no UTF-8 is replaced.
std::string JsonString(std::string_view text);

// One object. Keys are written as they are: REQUIRES plain ASCII.
class JsonObject {
 public:
  JsonObject& Add(std::string_view key, int64_t value);
  JsonObject& Add(std::string_view key, bool value);
  JsonObject& Add(std::string_view key, std::string_view value);
  JsonObject& Add(std::string_view key, const char* value) {
    return Add(key, std::string_view(value));
  }
  JsonObject& Add(std::string_view key, const std::optional<int64_t>& value);
  JsonObject& Add(std::string_view key, std::span<const int64_t> values);
  // Ten-thousandths as a number: 4228 is 0.4228.
  JsonObject& AddFraction(std::string_view key, int64_t basis_points);
  // `json` is a JSON value already.
  JsonObject& AddRaw(std::string_view key, std::string_view json);

  // The object. Nothing may be added afterwards.
  std::string Take();

 private:
  void Key(std::string_view key);

  std::string text_ = "{";
};

// "[a,b]" of JSON values.
std::string JsonArray(std::span<const std::string> values);

}  // namespace stowplan::report
