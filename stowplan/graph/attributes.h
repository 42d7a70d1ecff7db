// SPDX-License-Identifier: Apache-2.0
//
// An operator's options as names and values. One form for all operators and
// all sources, so that neither a file's reader nor a rule that wants one
// option has to know the tables of the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stowplan::graph {

// Enumerators are kept by name ("SAME"), numbers as they are.
using Attribute = std::variant<bool, int64_t, double, std::string,
                               std::vector<int64_t>, std::vector<double>>;

class Attributes {
 public:
  void Set(std::string name, Attribute value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

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
  bool empty() const { return values_.empty(); }
  // In ascending order of names.
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::map<std::string, Attribute, std::less<>> values_;
};

}  // namespace stowplan::graph
