// SPDX-License-Identifier: Apache-2.0
//
// Watches a run: which operator asks the heap for memory, how long each takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stowplan/profile/allocation_count.h"
#include "stowplan/runtime/observer.h"

namespace stowplan::profile {

// The first operator that asked the heap for memory.
class AllocationWatch : public runtime::Observer {
 public:
  struct Offender {
    graph::OperatorRef op;
    std::string type;
    AllocationCount count;
  };

  void Before(const runtime::OperatorEvent&) override {
    before_ = AllocationsOfThread();
  }
  void After(const runtime::OperatorEvent& event) override {
    const AllocationCount count = AllocationsOfThread() - before_;
    if (count.calls > 0 && !offender_) {
      offender_ = {event.op, std::string(event.type), count};
    }
  }

  // Nothing if none did.
  const std::optional<Offender>& offender() const { return offender_; }

 private:
  AllocationCount before_;
  std::optional<Offender> offender_;
};

}  // namespace stowplan::profile
