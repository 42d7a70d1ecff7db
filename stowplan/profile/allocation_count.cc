// SPDX-License-Identifier: Apache-2.0
#include "stowplan/profile/allocation_count.h"

namespace stowplan::profile {
namespace {

// Constant-initialised, so that reading them never allocates.
thread_local AllocationCount thread_count;
bool counts = false;

}  // namespace

AllocationCount AllocationsOfThread() { return thread_count; }

bool CountsAllocations() { return counts; }

void CountAllocation(int64_t bytes) {
  ++thread_count.calls;
  thread_count.bytes += bytes;
}

void AnnounceCounting() { counts = true; }

}  // namespace stowplan::profile
