// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/exact.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/plan/occupancy.h"
#include "stowplan/plan/validate.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::Plan;
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

Buffer RandomBuffer(Random* random, int steps, const Features& features) {
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

Problem RandomProblem(Random* random, const Features& features,
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
Problem DenseProblem(Random* random, const Features& features) {
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

void ExpectRight(const Problem& problem, const ExactOptions& options) {
  constexpr Bytes kHighest = 30;
  const std::optional<Bytes> least =
      BruteForce(problem).LeastPeak(problem.capacity().value_or(kHighest));
  const ExactOutcome outcome = SolveExact(problem, options);
  ASSERT_TRUE(outcome.exhausted);
  ASSERT_EQ(outcome.plan.has_value(), least.has_value());
  if (!least) return;
  EXPECT_EQ(Validate(problem, *outcome.plan), std::nullopt);
  EXPECT_EQ(Peak(problem, *outcome.plan), *least);
  EXPECT_EQ(outcome.peak, *least);
  EXPECT_EQ(outcome.lower_bound, *least);
}

TEST(SolveExact, FindsTheLeastPeakOfRandomSmallProblems) {
  for (uint64_t seed = 0; seed < 1200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            (seed & 8) != 0};
    ExpectRight(RandomProblem(&random, features), {});
    if (HasFatalFailure()) return;
  }
}

TEST(SolveExact, FindsTheLeastPeakOfDenseSmallProblems) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            (seed & 8) != 0};
    ExpectRight(DenseProblem(&random, features), {});
    if (HasFatalFailure()) return;
  }
}

TEST(SolveExact, FindsTheSameLeastPeakUnderEveryCombinationOfRules) {
  for (uint64_t seed = 0; seed < 96; ++seed) {
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            false};
    const Problem problem = seed % 3 == 0 ? RandomProblem(&random, features)
                                          : DenseProblem(&random, features);
    std::optional<Bytes> peak;
    for (int bits = 0; bits < 64; ++bits) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " rules " << bits);
      ExactOptions options;
      options.rules = {(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                       (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0};
      const ExactOutcome outcome = SolveExact(problem, options);
      ASSERT_TRUE(outcome.exhausted);
      if (!peak) {
        peak = BruteForce(problem).LeastPeak(30).value_or(-1);
      }
      ASSERT_EQ(outcome.plan ? outcome.peak : -1, *peak);
    }
  }
}

TEST(SolveExact, GivesTheSamePlanOnOneThreadAndOnFour) {
  Random random(11);
  for (int k = 0; k < 6; ++k) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 70; ++i) {
      buffers.push_back(RandomBuffer(&random, 14, {true, false, true, false}));
      buffers.back().size = random.Next(1, 60);
    }
    const Problem problem = *Problem::Create(buffers);
    ExactOptions options;
    options.max_nodes = 60'000;
    const ExactOutcome one = SolveExact(problem, options);
    options.threads = 4;
    const ExactOutcome four = SolveExact(problem, options);
    EXPECT_EQ(one.plan, four.plan);
    EXPECT_EQ(one.lower_bound, four.lower_bound);
    EXPECT_EQ(one.nodes, four.nodes);
    EXPECT_EQ(one.search_hash, four.search_hash);
  }
}

TEST(SolveExact, SaysThatNothingFitsUnderTheCapacity) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            (seed & 8) != 0};
    ExpectRight(RandomProblem(&random, features, random.Next(2, 12)), {});
    if (HasFatalFailure()) return;
  }
}

TEST(SolveExact, PlansNothingForNothing) {
  const ExactOutcome outcome = SolveExact(Problem(), {});
  EXPECT_TRUE(outcome.exhausted);
  EXPECT_TRUE(outcome.plan.has_value());
  EXPECT_EQ(outcome.peak, 0);
}

TEST(SolveExact, KeepsTheIncumbentWhenTheBudgetIsNothing) {
  std::vector<Buffer> buffers(2);
  buffers[0].size = 2;
  buffers[0].live = {0, 2};
  buffers[1].size = 3;
  buffers[1].live = {1, 3};
  const Problem problem = *Problem::Create(buffers);
  ExactOptions options;
  options.max_nodes = 0;
  options.incumbent = Plan{{5, 0}};
  const ExactOutcome outcome = SolveExact(problem, options);
  EXPECT_EQ(outcome.plan, options.incumbent);
  EXPECT_EQ(outcome.peak, 7);
  EXPECT_EQ(outcome.lower_bound, 5);
  EXPECT_FALSE(outcome.exhausted);
}

TEST(SolveExact, StopsWhenAskedTo) {
  std::stop_source source;
  source.request_stop();
  std::vector<Buffer> buffers;
  Random random(7);
  for (int i = 0; i < 60; ++i) buffers.push_back(RandomBuffer(&random, 30, {}));
  ExactOptions options;
  options.stop = source.get_token();
  EXPECT_LE(SolveExact(*Problem::Create(buffers), options).nodes, 4096);
}

}  // namespace
}  // namespace stowplan::solve
