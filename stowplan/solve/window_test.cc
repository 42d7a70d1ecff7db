// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/plan/validate.h"
#include "stowplan/solve/search_problems_for_test.h"

namespace stowplan::solve {
namespace {

using plan::BufferId;
using plan::Plan;

Buffer MakeBuffer(Bytes size, plan::Step begin, plan::Step end) {
  Buffer buffer;
  buffer.size = size;
  buffer.live = {begin, end};
  return buffer;
}

// All on top of each other.
Plan Tower(const Problem& problem) {
  Plan plan;
  Bytes top = 0;
  for (const Buffer& buffer : problem.buffers()) {
    if (buffer.pinned) top = std::max(top, *buffer.pinned + buffer.size);
  }
  for (const Buffer& buffer : problem.buffers()) {
    top = (top + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
    plan.offsets.push_back(buffer.pinned.value_or(top));
    if (!buffer.pinned) top += buffer.size;
  }
  return plan;
}

TEST(WindowAround, FreesWhatReachesThePeakThenWhatIsNear) {
  const Problem problem = *Problem::Create(
      {MakeBuffer(1, 0, 10), MakeBuffer(1, 0, 2), MakeBuffer(1, 4, 6),
       MakeBuffer(1, 8, 9), MakeBuffer(1, 0, 3)});
  const Plan plan = {{0, 1, 1, 1, 2}};
  EXPECT_EQ(WindowAround(problem, plan, 3, 5, 2),
            (std::vector<BufferId>{BufferId(2), BufferId(4)}));
  EXPECT_EQ(WindowAround(problem, plan, 3, 5, 4),
            (std::vector<BufferId>{BufferId(0), BufferId(2), BufferId(3),
                                   BufferId(4)}));
}

TEST(ImproveByWindows, BringsTowersDownAndStaysValid) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Features features{(seed & 1) != 0, false, (seed & 2) != 0,
                            (seed & 4) != 0};
    std::vector<Buffer> buffers;
    for (int i = 0; i < 120; ++i) {
      buffers.push_back(RandomBuffer(&random, 40, features));
    }
    const Problem problem = *Problem::Create(std::move(buffers));
    ExactOptions options;
    options.max_nodes = 10'000;
    options.incumbent = Tower(problem);
    options.lower_bound = LowerBound(problem).bytes;
    const WindowOutcome outcome = ImproveByWindows(problem, options);
    EXPECT_EQ(Validate(problem, outcome.plan), std::nullopt);
    EXPECT_EQ(outcome.peak, Peak(problem, outcome.plan));
    EXPECT_LT(outcome.peak, Peak(problem, *options.incumbent));
    EXPECT_LE(outcome.nodes, options.max_nodes + 1);
    options.threads = 3;
    EXPECT_EQ(ImproveByWindows(problem, options).plan, outcome.plan);
  }
}

}  // namespace
}  // namespace stowplan::solve
