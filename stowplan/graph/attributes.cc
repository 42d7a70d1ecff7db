// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/attributes.h"

#include <algorithm>

namespace stowplan::graph {

const Attributes::Values& Attributes::values() const {
  static const Values kNone;
  return values_ == nullptr ? kNone : *values_;
}

void Attributes::Set(std::string name, Attribute value) {
  // Nobody else can begin to share what only this object has.
  if (values_.use_count() != 1) values_ = std::make_shared<Values>(values());
  const auto at = std::lower_bound(
      values_->begin(), values_->end(), name,
      [](const auto& option, const auto& key) { return option.first < key; });
  if (at != values_->end() && at->first == name) {
    at->second = std::move(value);
  } else {
    values_->emplace(at, std::move(name), std::move(value));
  }
}

const Attribute* Attributes::Find(std::string_view name) const {
  for (const auto& [key, value] : values()) {
    if (key == name) return &value;
  }
  return nullptr;
}

int64_t Attributes::Int(std::string_view name, int64_t fallback) const {
  const Attribute* value = Find(name);
  if (value == nullptr) return fallback;
  if (const auto* number = std::get_if<int64_t>(value)) return *number;
  if (const auto* truth = std::get_if<bool>(value)) return *truth ? 1 : 0;
  return fallback;
}

double Attributes::Float(std::string_view name, double fallback) const {
  const Attribute* value = Find(name);
  if (value == nullptr) return fallback;
  if (const auto* number = std::get_if<double>(value)) return *number;
  if (const auto* number = std::get_if<int64_t>(value)) {
    return static_cast<double>(*number);
  }
  return fallback;
}

bool Attributes::Bool(std::string_view name, bool fallback) const {
  return Int(name, fallback ? 1 : 0) != 0;
}

std::string Attributes::String(std::string_view name,
                               std::string_view fallback) const {
  const Attribute* value = Find(name);
  const auto* text =
      value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::string(fallback) : *text;
}

std::vector<int64_t> Attributes::Ints(std::string_view name) const {
  const Attribute* value = Find(name);
  const auto* numbers =
      value == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(value);
  return numbers == nullptr ? std::vector<int64_t>() : *numbers;
}

}  // namespace stowplan::graph
