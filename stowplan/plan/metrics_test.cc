// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/metrics.h"

#include "gtest/gtest.h"
#include "stowplan/testing/problem_builder.h"

namespace stowplan::plan {
namespace {

using testing::MakeBuffer;
using testing::MakeProblem;

TEST(MetricsTest, AreAllZeroForNoBuffers) {
  const Metrics metrics = ComputeMetrics(Problem(), Plan());
  EXPECT_EQ(metrics.peak, 0);
  EXPECT_EQ(metrics.naive, 0);
  EXPECT_EQ(metrics.fragmentation, 0);
}

TEST(MetricsTest, TellPeakBoundGapAndWasteApart) {
  const Problem problem =
      MakeProblem({MakeBuffer(100, {0, 2}, 64), MakeBuffer(30, {1, 3}, 64),
                   MakeBuffer(40, {3, 4}, 64)});
  const Metrics metrics = ComputeMetrics(problem, Plan{{64, 192, 0}});
  EXPECT_EQ(metrics.peak, 222);
  EXPECT_EQ(metrics.naive, 170);
  EXPECT_EQ(metrics.max_live, 130);
  EXPECT_EQ(metrics.lower_bound, 158);
  EXPECT_EQ(metrics.gap, 64);
  EXPECT_EQ(metrics.alignment_waste, 28);
  EXPECT_DOUBLE_EQ(metrics.fragmentation, 92.0 / 222.0);
}

TEST(MetricsTest, DoNotCountTheOffsetOfABufferOfSizeZero) {
  const Problem problem =
      MakeProblem({MakeBuffer(4, {0, 1}), MakeBuffer(0, {0, 1})});
  EXPECT_EQ(Peak(problem, Plan{{0, 99}}), 4);
}

}  // namespace
}  // namespace stowplan::plan
