// SPDX-License-Identifier: Apache-2.0
#include "stowplan/profile/allocation_count.h"

#include <atomic>

namespace stowplan::profile {
namespace {

// Constant-initialised, so that reading them never allocates.
thread_local AllocationCount thread_count;
bool counts = false;
std::atomic<int64_t> live_bytes = 0;
std::atomic<int64_t> peak_bytes = 0;

}  // namespace

AllocationCount AllocationsOfThread() { return thread_count; }

bool CountsAllocations() { return counts; }

void CountAllocation(int64_t bytes) {
  ++thread_count.calls;
  thread_count.bytes += bytes;
}

void CountHeld(int64_t change) {
  const int64_t now =
      live_bytes.fetch_add(change, std::memory_order_relaxed) + change;
  int64_t most = peak_bytes.load(std::memory_order_relaxed);
  while (now > most && !peak_bytes.compare_exchange_weak(
                           most, now, std::memory_order_relaxed)) {
  }
}

HeapUse HeapOfProcess() {
  return {live_bytes.load(std::memory_order_relaxed),
          peak_bytes.load(std::memory_order_relaxed)};
}

void ResetHeapPeak() {
  peak_bytes.store(live_bytes.load(std::memory_order_relaxed),
                   std::memory_order_relaxed);
}

void AnnounceCounting() { counts = true; }

}  // namespace stowplan::profile
