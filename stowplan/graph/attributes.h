// SPDX-License-Identifier: Apache-2.0
//
// An operator's options as names and values. One form for all operators and
// all sources, so that neither a file's reader nor a rule that wants one
// option has to know the tables of the others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stowplan::graph {

// Enumerators are kept by name ("SAME"), numbers as they are.
using Attribute = std::variant<bool, int64_t, double, std::string,
                               std::vector<int64_t>, std::vector<double>>;

// Copies share the values until one of them is changed: a model has thousands
// of operators and few different sets of options.
class Attributes {
 public:
  using Values = std::vector<std::pair<std::string, Attribute>>;

  // O(options).
  void Set(std::string name, Attribute value);

  // The option, or `fallback` if it is not there or of another type. An
  // integer serves as a bool and the other way round.
  int64_t Int(std::string_view name, int64_t fallback) const;
  double Float(std::string_view name, double fallback) const;
  bool Bool(std::string_view name, bool fallback) const;
  std::string String(std::string_view name, std::string_view fallback) const;
  // Empty if it is not there.
  std::vector<int64_t> Ints(std::string_view name) const;

  // Null if it is not there.
  const Attribute* Find(std::string_view name) const;
  bool empty() const { return values_ == nullptr; }
  // In ascending order of names.
  Values::const_iterator begin() const { return values().begin(); }
  Values::const_iterator end() const { return values().end(); }

  // Those that share their values have the same identity; null where there
  // are none.
  const void* identity() const { return values_.get(); }

  friend bool operator==(const Attributes& a, const Attributes& b) {
    return a.values_ == b.values_ || a.values() == b.values();
  }

 private:
  const Values& values() const;

  std::shared_ptr<Values> values_;  // Null: there are none.
};

}  // namespace stowplan::graph
