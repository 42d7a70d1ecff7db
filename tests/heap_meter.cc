// SPDX-License-Identifier: Apache-2.0
#include "tests/heap_meter.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> in_use = 0;
std::atomic<size_t> peak = 0;

void* Take(size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  const size_t now = in_use += malloc_usable_size(block);
  size_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return block;
}

void Give(void* block) {
  in_use -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

namespace stowplan {

size_t HeapInUse() { return in_use; }
size_t HeapPeak() { return peak; }
void ResetHeapPeak() { peak = in_use.load(); }

}  // namespace stowplan

void* operator new(size_t size) { return Take(size); }
void* operator new[](size_t size) { return Take(size); }
void operator delete(void* block) noexcept { Give(block); }
void operator delete[](void* block) noexcept { Give(block); }
void operator delete(void* block, size_t) noexcept { Give(block); }
void operator delete[](void* block, size_t) noexcept { Give(block); }
