// SPDX-License-Identifier: Apache-2.0
//
// How much heap a piece of code takes at its peak: replaces the global
// operator new of the test that links heap_meter.cc.
#pragma once

#include <cstddef>

namespace stowplan {

// Bytes in use now, and the most since the last ResetHeapPeak.
size_t HeapInUse();
size_t HeapPeak();
void ResetHeapPeak();

}  // namespace stowplan
