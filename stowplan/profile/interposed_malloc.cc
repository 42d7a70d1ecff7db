// SPDX-License-Identifier: Apache-2.0
//
// Takes the place of the C library's malloc and its kin, counts, and passes
// on. For glibc, whose own functions stay reachable under other names; under
// a sanitizer, which interposes itself, nothing is replaced.
#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "stowplan/profile/allocation_count.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STOWPLAN_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(STOWPLAN_SANITIZED)

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
}

namespace {

void Count(size_t bytes) {
  stowplan::profile::CountAllocation(static_cast<int64_t>(bytes));
}

void* Held(void* block) {
  stowplan::profile::CountHeld(static_cast<int64_t>(malloc_usable_size(block)));
  return block;
}

void Gone(void* block) {
  stowplan::profile::CountHeld(
      -static_cast<int64_t>(malloc_usable_size(block)));
}

struct Announcer {
  Announcer() { stowplan::profile::AnnounceCounting(); }
};
const Announcer kAnnouncer;

}  // namespace

extern "C" {

void* malloc(size_t size) {
  Count(size);
  return Held(__libc_malloc(size));
}

void* calloc(size_t count, size_t size) {
  Count(count * size);
  return Held(__libc_calloc(count, size));
}

void* realloc(void* block, size_t size) {
  Count(size);
  const auto before = static_cast<int64_t>(malloc_usable_size(block));
  void* moved = __libc_realloc(block, size);
  // Where it fails, the old block stays.
  if (moved == nullptr && size > 0) return nullptr;
  stowplan::profile::CountHeld(-before);
  return Held(moved);
}

void* memalign(size_t alignment, size_t size) {
  Count(size);
  return Held(__libc_memalign(alignment, size));
}

void* aligned_alloc(size_t alignment, size_t size) {
  Count(size);
  return Held(__libc_memalign(alignment, size));
}

int posix_memalign(void** block, size_t alignment, size_t size) {
  Count(size);
  void* memory = __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *block = Held(memory);
  return 0;
}

void free(void* block) {
  Gone(block);
  __libc_free(block);
}

}  // extern "C"

#endif
