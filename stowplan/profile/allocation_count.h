// SPDX-License-Identifier: Apache-2.0
//
// How often the heap was asked for memory. A program that links the object
// library stowplan_interposed_malloc counts; others always read 0.
#pragma once

#include <cstdint>

namespace stowplan::profile {

struct AllocationCount {
  int64_t calls = 0;  // malloc and its kin, without frees.
  int64_t bytes = 0;  // Asked for.

  friend AllocationCount operator-(const AllocationCount& a,
                                   const AllocationCount& b) {
    return {a.calls - b.calls, a.bytes - b.bytes};
  }
};

// Of the calling thread since it began, whatever library asked.
AllocationCount AllocationsOfThread();

// What the heap holds for the whole process, as it rounds blocks up.
struct HeapUse {
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;  // The most since the program began or ResetHeapPeak.
};
HeapUse HeapOfProcess();
void ResetHeapPeak();

// Whether this program counts at all.
bool CountsAllocations();

// For the interposed functions only.
void CountAllocation(int64_t bytes);
void CountHeld(int64_t change);
void AnnounceCounting();

}  // namespace stowplan::profile
