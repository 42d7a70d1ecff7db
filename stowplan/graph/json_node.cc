// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/json_node.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "nlohmann/json.hpp"

namespace stowplan::graph {
namespace {

// Walks over the text without keeping it, and stops at the first thing that
// is not JSON or exceeds a limit. The parser itself does not recurse.
class LimitCheck : public nlohmann::json_sax<Json> {
 public:
  explicit LimitCheck(size_t most_values) : values_left_(most_values) {}

  bool null() override { return Count(); }
  bool boolean(bool) override { return Count(); }
  bool number_integer(number_integer_t) override { return Count(); }
  bool number_unsigned(number_unsigned_t) override { return Count(); }
  bool number_float(number_float_t, const string_t&) override {
    return Count();
  }
  bool string(string_t&) override { return Count(); }
  bool binary(binary_t&) override { return Count(); }
  bool start_object(size_t) override {
    keys_.emplace_back();
    return Enter();
  }
  bool end_object() override {
    keys_.pop_back();
    --depth_;
    return true;
  }
  bool start_array(size_t) override { return Enter(); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second) {
      return Refuse("key \"" + key + "\" is there twice in one object");
    }
    if (keys_.back().size() <= kMaxJsonKeys) return true;
    return Refuse("an object has more than " + std::to_string(kMaxJsonKeys) +
                  " keys");
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    position_ = position;
    return Refuse("not JSON");
  }

  const std::string& fault() const { return fault_; }
  // The character that is not JSON, counted from 1; 0 if another fault.
  size_t position() const { return position_; }

 private:
  bool Count() {
    if (values_left_-- > 0) return true;
    return Refuse("more values than a graph of this size has");
  }
  bool Enter() {
    if (++depth_ <= kMaxJsonDepth) return Count();
    return Refuse("nested more than " + std::to_string(kMaxJsonDepth) +
                  " levels deep");
  }
  bool Refuse(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }

  int depth_ = 0;
  size_t values_left_;
  std::vector<std::set<std::string>> keys_;  // By object that is open.
  std::string fault_;
  size_t position_ = 0;
};

std::string LineAndColumn(std::string_view text, size_t position) {
  const std::string_view before =
      text.substr(0, std::min(text.size(), position - 1));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n');
  const size_t column =
      before.size() -
      (line_start == std::string_view::npos ? 0 : line_start + 1);
  return "line " + std::to_string(lines + 1) + ", column " +
         std::to_string(column + 1);
}

}  // namespace

Result<std::shared_ptr<const Json>> ParseJson(std::string_view text) {
  LimitCheck check(std::max(kFreeJsonValues, text.size() / 4));
  if (!Json::sax_parse(text, &check)) {
    return BadInput(
        check.position() == 0 ? "" : LineAndColumn(text, check.position()),
        check.fault().empty() ? "not JSON" : check.fault(),
        "give a graph as docs/graph-json.md describes it");
  }
  return std::make_shared<const Json>(Json::parse(text, nullptr, false));
}

bool JsonNode::IsNull() const { return json_->is_null(); }
bool JsonNode::IsObject() const { return json_->is_object(); }
bool JsonNode::IsArray() const { return json_->is_array(); }
bool JsonNode::IsString() const { return json_->is_string(); }
size_t JsonNode::size() const { return json_->size(); }

std::optional<JsonNode> JsonNode::Member(std::string_view key) const {
  if (!IsObject()) return std::nullopt;
  const auto found = json_->find(std::string(key));
  if (found == json_->end()) return std::nullopt;
  return JsonNode(&*found, path_.empty() ? std::string(key)
                                         : path_ + "." + std::string(key));
}

Result<JsonNode> JsonNode::Required(std::string_view key) const {
  if (std::optional<JsonNode> member = Member(key)) return *member;
  return Bad("has no \"" + std::string(key) + "\"", "add it");
}

JsonNode JsonNode::At(size_t i) const {
  return JsonNode(&(*json_)[i], path_ + "[" + std::to_string(i) + "]");
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::Members() const {
  std::vector<std::pair<std::string, JsonNode>> members;
  if (!IsObject()) return members;
  for (const auto& [key, value] : json_->items()) {
    members.emplace_back(
        key, JsonNode(&value, path_.empty() ? key : path_ + "." + key));
  }
  return members;
}

Result<int64_t> JsonNode::Int() const {
  if (json_->is_number_unsigned() &&
      json_->get<uint64_t>() > std::numeric_limits<int64_t>::max()) {
    return Bad("does not fit in 64 bits");
  }
  if (!json_->is_number_integer()) return Bad("is no integer");
  return json_->get<int64_t>();
}

Result<bool> JsonNode::Bool() const {
  if (!json_->is_boolean()) return Bad("is neither true nor false");
  return json_->get<bool>();
}

Result<double> JsonNode::Float() const {
  if (json_->is_number()) return json_->get<double>();
  if (std::optional<JsonNode> name = Member("float")) {
    STOWPLAN_TRY(text, name->String());
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  return Bad("is no number");
}

Result<std::string> JsonNode::String() const {
  if (!json_->is_string()) return Bad("is no string");
  return json_->get<std::string>();
}

Result<std::vector<int64_t>> JsonNode::Ints() const {
  STOWPLAN_RETURN_IF_ERROR(ExpectArray());
  std::vector<int64_t> numbers;
  numbers.reserve(size());
  for (const Json& element : *json_) {
    if (element.is_number_integer() && !element.is_number_unsigned()) {
      numbers.push_back(element.get<int64_t>());
      continue;
    }
    STOWPLAN_TRY(number, At(numbers.size()).Int());
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::vector<double>> JsonNode::Floats() const {
  STOWPLAN_RETURN_IF_ERROR(ExpectArray());
  std::vector<double> numbers;
  numbers.reserve(size());
  for (size_t i = 0; i < size(); ++i) {
    STOWPLAN_TRY(number, At(i).Float());
    numbers.push_back(number);
  }
  return numbers;
}

Status JsonNode::ExpectArray() const {
  if (!IsArray()) return Bad("is no list", "write [...]");
  return {};
}

Status JsonNode::ExpectObject(
    std::initializer_list<std::string_view> keys) const {
  if (!IsObject()) return Bad("is no object", "write {...}");
  for (const auto& [key, value] : json_->items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string known;
    for (std::string_view name : keys) {
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    return Bad("has an unknown key \"" + key + "\"", "the keys are " + known);
  }
  return {};
}

tl::unexpected<Error> JsonNode::Bad(std::string what,
                                    std::string remedy) const {
  return BadInput(path_, std::move(what), std::move(remedy));
}

}  // namespace stowplan::graph
