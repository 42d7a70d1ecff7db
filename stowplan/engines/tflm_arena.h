// SPDX-License-Identifier: Apache-2.0
//
// The one arena of TFLM (SingleArenaBufferAllocator) as a list of requests,
// and the least size at which all of them succeed.
//
//   0            head        temp                     tail            size
//   +-------------+-----------+------------------------+---------------+
//   | resizable   | temporary | free                   | persistent    |
//   +-------------+-----------+------------------------+---------------+
//                   grows ->                 <- grows, downwards
//
// Temporary requests are only ever dropped all at once, so that what one
// kernel has given back still counts until its Prepare is over.
#pragma once

#include <cstddef>
#include <vector>

#include "stowplan/base/bytes.h"

namespace stowplan::engines {

struct ArenaRequest {
  enum class Kind {
    kTail,       // Persistent: downwards from the tail, then aligned down.
    kTemp,       // Upwards from the last temporary request.
    kDropTemps,  // All temporary requests are over.
    kHead,       // The head's size becomes `bytes`; no temporary one is left.
    kWorkspace,  // All that is free, both ends aligned inwards, lent to the
                 // memory planner; it has to hold `bytes`.
  };
  Kind kind = Kind::kTail;
  Bytes bytes = 0;
  Bytes alignment = 1;  // A power of two, at most kArenaAlignment.
  size_t phase = 0;     // Position in a list that the caller keeps.
};

// An arena begins at a multiple of this, and so do most of its pieces.
constexpr Bytes kArenaAlignment = 16;

struct ArenaNeed {
  Bytes bytes = 0;  // The least size at which all requests succeed.
  struct Phase {
    Bytes bytes = 0;       // The least size for this phase's requests alone.
    size_t request = 0;    // The one that needs it.
    bool entered = false;  // Whether the phase has any request.
  };
  std::vector<Phase> phases;
};

// `granularity` is the alignment of the first persistent request, to which
// the size of an arena counts: a size in between is as good as the next lower
// multiple. REQUIRES: all sizes are >= 0 and their sum, each rounded up to
// kArenaAlignment, fits; granularity is a power of two and at most
// kArenaAlignment. O(requests * kArenaAlignment / granularity).
//
// The real allocator checks persistent requests against the head only, not
// against the temporary requests above it, and silently destroys those. Here
// both count: a size at which a kernel's temporaries are overwritten is not
// one that works.
ArenaNeed FindLeastArena(const std::vector<ArenaRequest>& requests,
                         size_t phases, Bytes granularity);

// Where each request lies in an arena of `size` bytes, counted from its start:
// its lowest byte. For kDropTemps the end of the head, for kHead 0.
std::vector<Bytes> PlaceRequests(const std::vector<ArenaRequest>& requests,
                                 Bytes size);

}  // namespace stowplan::engines
