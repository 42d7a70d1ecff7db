// SPDX-License-Identifier: Apache-2.0
//
// What happens during a run, for those who measure or check.
#pragma once

#include <span>
#include <string_view>

#include "stowplan/graph/ref.h"
#include "stowplan/kernels/tensor.h"
#include "stowplan/plan/live_range.h"

namespace stowplan::runtime {

// One run of one operator.
struct OperatorEvent {
  graph::OperatorRef op;
  std::string_view type;
  std::span<kernels::Tensor* const> outputs;  // Null: left out.
};

// Called from the thread that invokes; must not call back.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void Before(const OperatorEvent& event) = 0;
  virtual void After(const OperatorEvent& event) = 0;
};

}  // namespace stowplan::runtime
