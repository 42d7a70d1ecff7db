// SPDX-License-Identifier: Apache-2.0
//
// Small problems of every kind, and their least peak by brute force.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/plan/buffer.h"
#include "stowplan/plan/occupancy.h"
#include "stowplan/plan/problem.h"

namespace stowplan::solve {

using plan::Buffer;
using plan::Problem;

// xorshift64*: the tests must not depend on a library's distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2685821657736338717u + 1) {}
  // In [low, high].
  int64_t Next(int64_t low, int64_t high) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const uint64_t bits = (state_ * 2685821657736338717u) >> 16;
    return low +
           static_cast<int64_t>(bits % static_cast<uint64_t>(high - low + 1));
  }
  bool Chance(int percent) { return Next(1, 100) <= percent; }

 private:
  uint64_t state_;
};

// Every offset below every peak is tried: slow, and hard to get wrong.
class BruteForce {
 public:
  explicit BruteForce(const Problem& problem) : problem_(problem) {
    for (size_t i = 0; i < problem.size(); ++i) {
      parts_.emplace_back();
      AppendOccupancy(problem.buffers()[i], plan::BufferId::FromIndex(i),
                      &parts_.back());
    }
  }

  // The least peak, if there is one up to `limit`.
  std::optional<Bytes> LeastPeak(Bytes limit) {
    for (Bytes peak = 0; peak <= limit; ++peak) {
      offsets_.assign(problem_.size(), 0);
      if (Place(0, peak)) return peak;
    }
    return std::nullopt;
  }

 private:
  bool Place(size_t i, Bytes peak) {
    if (i == problem_.size()) return true;
    const Buffer& buffer = problem_.buffers()[i];
    const Bytes first = buffer.pinned.value_or(0);
    const Bytes last =
        buffer.pinned ? first : std::max<Bytes>(0, peak - buffer.size);
    for (Bytes at = first; at <= last; at += buffer.alignment) {
      if (buffer.size > 0 && at + buffer.size > peak) break;
      offsets_[i] = at;
      if (Free(i) && Place(i + 1, peak)) return true;
    }
    return false;
  }

  bool Free(size_t i) const {
    for (size_t j = 0; j < i; ++j) {
      for (const plan::Occupancy& a : parts_[i]) {
        for (const plan::Occupancy& b : parts_[j]) {
          if (Intersects(a.range, b.range) &&
              offsets_[i] + a.bytes.begin < offsets_[j] + b.bytes.end &&
              offsets_[j] + b.bytes.begin < offsets_[i] + a.bytes.end) {
            return false;
          }
        }
      }
    }
    return true;
  }

  const Problem& problem_;
  std::vector<std::vector<plan::Occupancy>> parts_;
  std::vector<Bytes> offsets_;
};

struct Features {
  bool alignment = false, pins = false, gaps = false, windows = false;
};

inline Buffer RandomBuffer(Random* random, int steps,
                           const Features& features) {
  Buffer buffer;
  buffer.size = random->Next(random->Chance(5) ? 0 : 1, 5);
  buffer.live.begin = random->Next(0, steps - 1);
  buffer.live.end = random->Next(buffer.live.begin + 1, steps);
  if (features.alignment && random->Chance(50)) {
    buffer.alignment = Bytes{1} << random->Next(0, 2);
  }
  if (features.pins && random->Chance(25)) {
    buffer.pinned = random->Next(0, 4) * buffer.alignment;
  }
  plan::Step from = buffer.live.begin;
  while (features.gaps && random->Chance(40) && from < buffer.live.end) {
    plan::Gap gap;
    gap.range.begin = random->Next(from, buffer.live.end - 1);
    gap.range.end = random->Next(gap.range.begin + 1, buffer.live.end);
    if (features.windows && buffer.size > 0 && random->Chance(60)) {
      const Bytes begin = random->Next(0, buffer.size - 1);
      gap.window = ByteRange{begin, random->Next(begin + 1, buffer.size)};
    }
    from = gap.range.end;
    buffer.gaps.push_back(gap);
  }
  return buffer;
}

inline Problem RandomProblem(Random* random, const Features& features,
                             std::optional<Bytes> capacity = std::nullopt) {
  const int steps = static_cast<int>(random->Next(2, 7));
  std::vector<Buffer> buffers(static_cast<size_t>(random->Next(1, 7)));
  for (Buffer& buffer : buffers) {
    buffer = RandomBuffer(random, steps, features);
    // Twins, so that their rules are at work.
    if (random->Chance(15))
      buffer = buffers[0].live.empty() ? buffer : buffers[0];
  }
  return *Problem::Create(std::move(buffers), capacity);
}

// Every step is full: here the least peak is often over the most live bytes,
// so that an exhausted search has to prove it.
inline Problem DenseProblem(Random* random, const Features& features) {
  const Bytes height = random->Next(4, 8);
  std::vector<Buffer> buffers;
  std::vector<size_t> live;
  const plan::Step steps = random->Next(3, 6);
  for (plan::Step step = 0; step < steps; ++step) {
    Bytes used = 0;
    std::vector<size_t> kept;
    for (size_t i : live) {
      if (random->Chance(60)) {
        kept.push_back(i);
        used += buffers[i].size;
        buffers[i].live.end = step + 1;
      }
    }
    live = std::move(kept);
    while (used < height && buffers.size() < 12) {
      Buffer buffer;
      buffer.size = random->Next(1, std::min<Bytes>(4, height - used));
      buffer.live = {step, step + 1};
      if (features.alignment && random->Chance(20)) buffer.alignment = 2;
      if (features.pins && random->Chance(6)) {
        buffer.pinned = random->Next(0, 2) * 2;
      }
      used += buffer.size;
      live.push_back(buffers.size());
      buffers.push_back(buffer);
    }
  }
  for (Buffer& buffer : buffers) {
    const plan::Step steps_in_use = buffer.live.end - buffer.live.begin;
    if (!features.gaps || steps_in_use < 3 || !random->Chance(50)) continue;
    plan::Gap gap;
    gap.range = {buffer.live.begin + 1, buffer.live.end - 1};
    if (features.windows && buffer.size > 1) gap.window = ByteRange{1, 2};
    buffer.gaps.push_back(gap);
  }
  return *Problem::Create(std::move(buffers));
}

}  // namespace stowplan::solve
