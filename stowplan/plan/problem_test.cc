// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/problem.h"

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/testing/problem_builder.h"

namespace stowplan::plan {
namespace {

using testing::MakeBuffer;

constexpr Bytes kHuge = Bytes{1} << 61;

std::string ErrorOf(std::vector<Buffer> buffers) {
  const Result<Problem> problem = Problem::Create(std::move(buffers));
  return problem ? "" : problem.error().ToString();
}

// A buffer over steps [0, 9) of 8 bytes, with these gaps.
Buffer WithGaps(std::vector<Gap> gaps) {
  return MakeBuffer(8, {0, 9}, 1, std::nullopt, std::move(gaps));
}

TEST(ProblemTest, KeepsItsBuffersAndCapacity) {
  const std::vector<Buffer> buffers = {MakeBuffer(3, {0, 2}, 4)};
  const Problem problem = Problem::Create(buffers, 64).value();
  EXPECT_EQ(problem.buffers(), buffers);
  EXPECT_EQ(problem.buffer(BufferId(0)).size, 3);
  EXPECT_EQ(problem.capacity(), 64);
}

TEST(ProblemTest, RefusesNegativeSizes) {
  EXPECT_EQ(ErrorOf({MakeBuffer(1, {0, 1}), MakeBuffer(-1, {0, 1})}),
            "buffer 1: size -1 is negative");
}

TEST(ProblemTest, RefusesAlignmentsThatAreNoPowerOfTwo) {
  EXPECT_NE(ErrorOf({MakeBuffer(1, {0, 1}, 0)}), "");
  EXPECT_NE(ErrorOf({MakeBuffer(1, {0, 1}, 48)}), "");
  EXPECT_NE(ErrorOf({MakeBuffer(1, {0, 1}, -4)}), "");
}

TEST(ProblemTest, RefusesEmptyLiveRangesUnlessTheSizeIsZero) {
  EXPECT_NE(ErrorOf({MakeBuffer(1, {2, 2})}), "");
  EXPECT_NE(ErrorOf({MakeBuffer(1, {2, 1})}), "");
  EXPECT_EQ(ErrorOf({MakeBuffer(0, {2, 2})}), "");
}

TEST(ProblemTest, RefusesPinsThatAreNegativeOrNotAligned) {
  EXPECT_NE(ErrorOf({MakeBuffer(1, {0, 1}, 1, -1)}), "");
  EXPECT_NE(ErrorOf({MakeBuffer(1, {0, 1}, 64, 32)}), "");
  EXPECT_EQ(ErrorOf({MakeBuffer(1, {0, 1}, 64, 128)}), "");
}

TEST(ProblemTest, RefusesGapsThatAreNotSortedDisjointAndInside) {
  EXPECT_EQ(ErrorOf({WithGaps({{{1, 2}, {}}, {{2, 4}, {}}})}), "");
  EXPECT_NE(ErrorOf({WithGaps({{{2, 2}, {}}})}), "") << "empty";
  EXPECT_NE(ErrorOf({WithGaps({{{3, 5}, {}}, {{4, 6}, {}}})}), "") << "overlap";
  EXPECT_NE(ErrorOf({WithGaps({{{5, 6}, {}}, {{1, 2}, {}}})}), "") << "order";
  EXPECT_NE(ErrorOf({WithGaps({{{8, 10}, {}}})}), "") << "outside";
  EXPECT_NE(ErrorOf({WithGaps({{{-1, 1}, {}}})}), "") << "before";
}

TEST(ProblemTest, RefusesWindowsThatAreEmptyOrOutsideTheBuffer) {
  EXPECT_EQ(ErrorOf({WithGaps({{{1, 2}, ByteRange{0, 8}}})}), "");
  EXPECT_NE(ErrorOf({WithGaps({{{1, 2}, ByteRange{0, 9}}})}), "");
  EXPECT_NE(ErrorOf({WithGaps({{{1, 2}, ByteRange{-1, 2}}})}), "");
  EXPECT_NE(ErrorOf({WithGaps({{{1, 2}, ByteRange{3, 3}}})}), "");
}

TEST(ProblemTest, RefusesSumsThatCouldOverflowLater) {
  constexpr Bytes kMax = std::numeric_limits<Bytes>::max();
  EXPECT_EQ(ErrorOf({MakeBuffer(kHuge / 2, {0, 1})}), "");
  EXPECT_NE(ErrorOf({MakeBuffer(kHuge, {0, 1}), MakeBuffer(kHuge, {5, 6})}),
            "");
  EXPECT_NE(ErrorOf({MakeBuffer(kMax, {0, 1})}), "");
  EXPECT_NE(ErrorOf({MakeBuffer(1, {0, 1}, Bytes{1} << 62)}), "");
  EXPECT_NE(ErrorOf({MakeBuffer(1, {0, 1}, 1, kMax)}), "");
  EXPECT_NE(
      ErrorOf({MakeBuffer(kHuge, {0, 1}), MakeBuffer(1, {0, 1}, 1, kHuge)}),
      "");
}

TEST(ProblemTest, CountsABuffersSizeOnce) {
  EXPECT_EQ(ErrorOf({MakeBuffer((Bytes{1} << 62) - 2, {0, 1})}), "");
}

TEST(ProblemTest, RefusesCapacitiesOutOfRange) {
  EXPECT_FALSE(Problem::Create({}, -1).has_value());
  EXPECT_FALSE(Problem::Create({}, Bytes{1} << 62).has_value());
  EXPECT_TRUE(Problem::Create({}, 0).has_value());
}

}  // namespace
}  // namespace stowplan::plan
