// SPDX-License-Identifier: Apache-2.0
//
// Which kernel runs which operator.
#pragma once

#include <string_view>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels {

// A value: copy it, add to it, hand it to an interpreter.
class Registry {
 public:
  // The operators of the public format, from reference/families.cc.
  static Registry Reference();
  // Without any operator.
  Registry() = default;

  // Adds a user's own operator, or replaces the one of that type. The type's
  // characters and `user` must outlive every interpreter that uses it.
  // Errors: kUsage if the type is empty or a function is missing.
  Status Add(const Kernel& kernel);

  // Null if there is none. O(log n).
  const Kernel* Find(std::string_view type) const;
  // In ascending order of types.
  const std::vector<Kernel>& kernels() const { return kernels_; }

 private:
  std::vector<Kernel> kernels_;
};

}  // namespace stowplan::kernels
