// SPDX-License-Identifier: Apache-2.0
//
// A value inside a JSON document that knows its path, so that an error can
// say "tensors[3].shape[1]". For readers of documents inside this folder.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "stowplan/base/error.h"

namespace stowplan::graph {

using Json = nlohmann::ordered_json;

// Limits on documents from outside: nothing deeper, no object wider, and not
// more values than these or a quarter of the text's bytes. They keep work,
// stack and memory linear in the text.
constexpr int kMaxJsonDepth = 16;
constexpr size_t kMaxJsonKeys = 1024;
constexpr size_t kFreeJsonValues = size_t{1} << 20;

// The document in `text`. Errors (kBadInput): not JSON (with line and
// column), a key twice in one object, a limit exceeded. O(text).
Result<std::shared_ptr<const Json>> ParseJson(std::string_view text);

// A view; the document must outlive it.
class JsonNode {
 public:
  explicit JsonNode(const Json* json, std::string path = "")
      : json_(json), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool IsNull() const;
  bool IsObject() const;
  bool IsArray() const;
  bool IsString() const;
  // Elements of an array, members of an object.
  size_t size() const;

  // Nothing if there is no such member or this is no object.
  std::optional<JsonNode> Member(std::string_view key) const;
  // The member; an error if there is none.
  Result<JsonNode> Required(std::string_view key) const;
  // REQUIRES: IsArray(), i < size().
  JsonNode At(size_t i) const;
  // All members with their keys, in the document's order; none if this is
  // no object.
  std::vector<std::pair<std::string, JsonNode>> Members() const;

  Result<int64_t> Int() const;
  Result<bool> Bool() const;
  // Numbers, and {"float": "inf" | "-inf" | "nan"}.
  Result<double> Float() const;
  Result<std::string> String() const;
  Result<std::vector<int64_t>> Ints() const;
  Result<std::vector<double>> Floats() const;
  Status ExpectArray() const;
  // An object with no keys but these.
  Status ExpectObject(std::initializer_list<std::string_view> keys) const;

  // "tensors[3]: `what`; `remedy`".
  tl::unexpected<Error> Bad(std::string what, std::string remedy = "") const;

  const Json& json() const { return *json_; }

 private:
  const Json* json_;
  std::string path_;
};

}  // namespace stowplan::graph
