// SPDX-License-Identifier: Apache-2.0
//
// Takes the place of the C library's malloc and its kin, counts, and passes
// on. For glibc, whose own functions stay reachable under other names; under
// a sanitizer, which interposes itself, nothing is replaced.
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

struct Announcer {
  Announcer() { stowplan::profile::AnnounceCounting(); }
};
const Announcer kAnnouncer;

}  // namespace

extern "C" {

void* malloc(size_t size) {
  Count(size);
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  Count(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) {
  Count(size);
  return __libc_realloc(block, size);
}

void* memalign(size_t alignment, size_t size) {
  Count(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  Count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) {
  Count(size);
  void* memory = __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *block = memory;
  return 0;
}

void free(void* block) { __libc_free(block); }

}  // extern "C"

#endif
