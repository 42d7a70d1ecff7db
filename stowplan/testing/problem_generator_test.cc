// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/problem_generator.h"

#include "gtest/gtest.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/testing/problem_oracle.h"

namespace stowplan::testing {
namespace {

TEST(ProblemGeneratorTest, GivesTheSameProblemForTheSameSeed) {
  const RandomShape shape = {.buffers = 20,
                             .max_alignment = 8,
                             .pinned_percent = 20,
                             .gap_percent = 30,
                             .zero_percent = 5};
  EXPECT_EQ(RandomProblem(shape, 7).buffers(),
            RandomProblem(shape, 7).buffers());
  EXPECT_NE(RandomProblem(shape, 7).buffers(),
            RandomProblem(shape, 8).buffers());
}

TEST(ProblemGeneratorTest, FillsEveryStepOfATiling) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const plan::Problem problem = DenseTiling(60, 64, 100, seed % 2, seed);
    EXPECT_GE(problem.size(), 50u);
    Bytes area = 0;
    for (const plan::Buffer& buffer : problem.buffers()) {
      area += buffer.size * (buffer.live.end - buffer.live.begin);
    }
    EXPECT_EQ(area, 64 * 100);
    EXPECT_EQ(MaxLoad(problem), 100);
  }
}

TEST(ProblemGeneratorTest, StopsCuttingWhenTilesAreSingleCells) {
  EXPECT_EQ(DenseTiling(100, 3, 2, false, 1).size(), 6u);
}

TEST(ProblemGeneratorTest, KeepsTheWantedNumberOfBuffersLive) {
  const plan::Problem problem = HeavyTailedProblem(20000, 100, 1);
  int64_t sum = 0;
  for (const plan::Buffer& buffer : problem.buffers()) {
    sum += buffer.live.end - buffer.live.begin;
  }
  const int64_t mean = sum / 20000;
  EXPECT_GT(mean, 90);
  EXPECT_LT(mean, 110);
}

}  // namespace
}  // namespace stowplan::testing
