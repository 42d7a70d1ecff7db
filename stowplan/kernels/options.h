// SPDX-License-Identifier: Apache-2.0
//
// An operator's options as a kernel reads them: names and values, as the
// model has them. Views: the model's graph owns the names and the texts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stowplan::kernels {

struct Option {
  std::string_view name;
  int64_t number = 0;     // A flag is 0 or 1.
  double real = 0;        // The same number where it is not a whole one.
  std::string_view text;  // "SAME", "RELU", ...
  std::span<const int64_t> numbers;
};

class Options {
 public:
  Options() = default;
  // `options` in ascending order of names; must outlive this object.
  explicit Options(std::span<const Option> options) : options_(options) {}

  int64_t Int(std::string_view name, int64_t fallback) const {
    const Option* option = Find(name);
    return option == nullptr ? fallback : option->number;
  }
  float Float(std::string_view name, float fallback) const {
    const Option* option = Find(name);
    return option == nullptr ? fallback : static_cast<float>(option->real);
  }
  bool Flag(std::string_view name, bool fallback = false) const {
    return Int(name, fallback ? 1 : 0) != 0;
  }
  std::string_view Text(std::string_view name,
                        std::string_view fallback = "") const {
    const Option* option = Find(name);
    return option == nullptr ? fallback : option->text;
  }
  std::span<const int64_t> Ints(std::string_view name) const {
    const Option* option = Find(name);
    return option == nullptr ? std::span<const int64_t>() : option->numbers;
  }

 private:
  // Linear: no operator has more than a dozen options.
  const Option* Find(std::string_view name) const {
    for (const Option& option : options_) {
      if (option.name == name) return &option;
    }
    return nullptr;
  }

  std::span<const Option> options_;
};

}  // namespace stowplan::kernels
