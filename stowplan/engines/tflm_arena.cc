// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_arena.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "stowplan/base/checked_math.h"

namespace stowplan::engines {
namespace {

using Kind = ArenaRequest::Kind;

Bytes AlignDown(Bytes value, Bytes alignment) { return value & -alignment; }

class Arena {
 public:
  explicit Arena(Bytes size) : tail_(size) {}

  // Grants the request whether it fits or not; `slack` is what is left, below
  // zero if it does not fit. Gives back its place.
  Bytes Grant(const ArenaRequest& request, Bytes* slack) {
    switch (request.kind) {
      case Kind::kTail:
        tail_ = AlignDown(tail_ - request.bytes, request.alignment);
        *slack = tail_ - temp_;
        return tail_;
      case Kind::kTemp: {
        const Bytes place = AlignUp(temp_, request.alignment);
        temp_ = place + request.bytes;
        *slack = tail_ - temp_;
        return place;
      }
      case Kind::kDropTemps:
        temp_ = head_;
        *slack = tail_ - temp_;
        return head_;
      case Kind::kHead:
        head_ = temp_ = request.bytes;
        *slack = tail_ - temp_;
        return 0;
      case Kind::kWorkspace: {
        const Bytes place = AlignUp(temp_, request.alignment);
        *slack = AlignDown(tail_, request.alignment) - place - request.bytes;
        temp_ = place + request.bytes;
        return place;
      }
    }
    return 0;
  }

 private:
  Bytes head_ = 0;
  Bytes temp_ = 0;
  Bytes tail_;
};

struct Tightest {
  Bytes slack = std::numeric_limits<Bytes>::max();
  size_t request = 0;
};

// By phase, the request that leaves the least room in an arena of that size.
std::vector<Tightest> FindTightest(const std::vector<ArenaRequest>& requests,
                                   size_t phases, Bytes size) {
  std::vector<Tightest> tightest(phases);
  Arena arena(size);
  for (size_t i = 0; i < requests.size(); ++i) {
    Bytes slack = 0;
    arena.Grant(requests[i], &slack);
    Tightest& phase = tightest[requests[i].phase];
    if (slack < phase.slack) phase = {slack, i};
  }
  return tightest;
}

}  // namespace

ArenaNeed FindLeastArena(const std::vector<ArenaRequest>& requests,
                         size_t phases, Bytes granularity) {
  assert(IsPowerOfTwo(granularity) && granularity <= kArenaAlignment);
  ArenaNeed need;
  need.phases.resize(phases);
  if (requests.empty()) return need;
  need.bytes = std::numeric_limits<Bytes>::max();
  // All alignments divide kArenaAlignment, so that sizes which differ by a
  // multiple of it leave the same gaps. One size of each residue tells all.
  for (Bytes residue = 0; residue < kArenaAlignment; residue += granularity) {
    const std::vector<Tightest> tightest =
        FindTightest(requests, phases, residue);
    Bytes whole = residue;
    for (size_t p = 0; p < phases; ++p) {
      if (tightest[p].slack == std::numeric_limits<Bytes>::max()) continue;
      const Bytes least =
          residue +
          AlignUp(std::max<Bytes>(-tightest[p].slack, 0), kArenaAlignment);
      whole = std::max(whole, least);
      ArenaNeed::Phase& phase = need.phases[p];
      if (!phase.entered || least < phase.bytes) {
        phase = {least, tightest[p].request, true};
      }
    }
    need.bytes = std::min(need.bytes, whole);
  }
  return need;
}

std::vector<Bytes> PlaceRequests(const std::vector<ArenaRequest>& requests,
                                 Bytes size) {
  std::vector<Bytes> places;
  places.reserve(requests.size());
  Arena arena(size);
  Bytes slack = 0;
  for (const ArenaRequest& request : requests) {
    places.push_back(arena.Grant(request, &slack));
  }
  return places;
}

}  // namespace stowplan::engines
