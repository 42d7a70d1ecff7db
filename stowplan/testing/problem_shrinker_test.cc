// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/problem_shrinker.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"

namespace stowplan::testing {
namespace {

TEST(ProblemShrinkerTest, ComesDownToTheTwoBuffersThatMatter) {
  const RandomShape shape = {.buffers = 30,
                             .horizon = 20,
                             .max_alignment = 4,
                             .pinned_percent = 20,
                             .gap_percent = 30};
  const plan::Problem small = ShrinkProblem(
      RandomProblem(shape, 3),
      [](const plan::Problem& problem) { return MaxLoad(problem) >= 9; });
  EXPECT_LE(small.size(), 4u);
  EXPECT_EQ(MaxLoad(small), 9);
  for (const plan::Buffer& buffer : small.buffers()) {
    EXPECT_EQ(buffer.live.end, buffer.live.begin + 1);
    EXPECT_TRUE(buffer.gaps.empty());
    EXPECT_FALSE(buffer.pinned);
    EXPECT_EQ(buffer.alignment, 1);
  }
}

}  // namespace
}  // namespace stowplan::testing
