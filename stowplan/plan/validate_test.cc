// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/validate.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"
#include "stowplan/testing/problem_random.h"
#include "stowplan/testing/problem_shrinker.h"

namespace stowplan::plan {
namespace {

using testing::MakeBuffer;
using testing::MakeProblem;
using Rule = Violation::Rule;

TEST(ValidateTest, AcceptsBuffersThatOnlyTouch) {
  const Problem problem = MakeProblem(
      {MakeBuffer(2, {0, 1}), MakeBuffer(3, {1, 2}), MakeBuffer(2, {1, 2})});
  EXPECT_EQ(Validate(problem, Plan{{0, 0, 3}}), std::nullopt);
}

TEST(ValidateTest, NamesBothBuffersTheStepAndTheBytesOfAnOverlap) {
  const Problem problem =
      MakeProblem({MakeBuffer(4, {0, 5}), MakeBuffer(4, {3, 8})});
  const std::optional<Violation> broken = Validate(problem, Plan{{0, 2}});
  ASSERT_TRUE(broken.has_value());
  EXPECT_EQ(*broken, (Violation{Rule::kOverlap, BufferId(0), BufferId(1), 3,
                                ByteRange{2, 4}}));
  EXPECT_EQ(broken->ToString(),
            "buffers 0 and 1 both use bytes [2, 4) at step 3");
}

TEST(ValidateTest, FindsTheEarliestOverlap) {
  const Problem problem =
      MakeProblem({MakeBuffer(4, {0, 9}), MakeBuffer(4, {6, 7}),
                   MakeBuffer(4, {4, 5}), MakeBuffer(4, {8, 9})});
  EXPECT_EQ(Validate(problem, Plan{{0, 0, 0, 0}})->step, 4);
}

TEST(ValidateTest, RefusesPlansWithTooFewOrTooManyOffsets) {
  const Problem problem = MakeProblem({MakeBuffer(4, {0, 9})});
  EXPECT_EQ(Validate(problem, Plan{})->rule, Rule::kCount);
  EXPECT_EQ(Validate(problem, Plan{{0, 0}})->rule, Rule::kCount);
}

TEST(ValidateTest, RefusesOffsetsOutOfRange) {
  const Problem problem = MakeProblem({MakeBuffer(4, {0, 9})});
  EXPECT_EQ(Validate(problem, Plan{{-1}})->rule, Rule::kRange);
  EXPECT_EQ(Validate(problem, Plan{{INT64_MAX}})->rule, Rule::kRange);
}

TEST(ValidateTest, RefusesOffsetsThatAreNotAligned) {
  const Problem problem = MakeProblem({MakeBuffer(4, {0, 9}, 8)});
  EXPECT_EQ(Validate(problem, Plan{{8}}), std::nullopt);
  EXPECT_EQ(Validate(problem, Plan{{4}})->rule, Rule::kAlignment);
}

TEST(ValidateTest, RefusesPinnedBuffersElsewhere) {
  const Problem problem = MakeProblem({MakeBuffer(4, {0, 9}, 1, 8)});
  EXPECT_EQ(Validate(problem, Plan{{8}}), std::nullopt);
  EXPECT_EQ(Validate(problem, Plan{{0}})->rule, Rule::kPinned);
}

TEST(ValidateTest, RefusesBuffersThatEndBehindTheCapacity) {
  const Problem problem = MakeProblem({MakeBuffer(4, {0, 9})}, 8);
  EXPECT_EQ(Validate(problem, Plan{{4}}), std::nullopt);
  EXPECT_EQ(Validate(problem, Plan{{5}})->rule, Rule::kCapacity);
}

TEST(ValidateTest, LetsOthersUseTheBytesOfAGap) {
  const Gap none = {{1, 2}, std::nullopt};
  const Gap window = {{1, 2}, ByteRange{0, 1}};
  const Buffer guest = MakeBuffer(3, {1, 2});
  const Problem free =
      MakeProblem({MakeBuffer(4, {0, 3}, 1, {}, {none}), guest});
  EXPECT_EQ(Validate(free, Plan{{0, 0}}), std::nullopt);
  const Problem half =
      MakeProblem({MakeBuffer(4, {0, 3}, 1, {}, {window}), guest});
  EXPECT_EQ(Validate(half, Plan{{0, 1}}), std::nullopt);
  EXPECT_EQ(Validate(half, Plan{{0, 0}})->rule, Rule::kOverlap);
}

TEST(ValidateTest, IgnoresBuffersOfSizeZero) {
  const Problem problem =
      MakeProblem({MakeBuffer(4, {0, 3}), MakeBuffer(0, {0, 3})});
  EXPECT_EQ(Validate(problem, Plan{{0, 2}}), std::nullopt);
}

// Random plans, half of them nearly valid, judged by both.
bool AgreesWithOracle(const Problem& problem, uint64_t seed) {
  testing::Random random(seed);
  Plan plan;
  for (const Buffer& buffer : problem.buffers()) {
    plan.offsets.push_back(random.Chance(80) && buffer.pinned
                               ? *buffer.pinned
                               : random.Between(0, 5) * buffer.alignment);
  }
  return Validate(problem, plan).has_value() !=
         testing::IsValidPlan(problem, plan);
}

RC_GTEST_PROP(ValidateTest, AgreesWithThePairwiseOracle, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = static_cast<int>(seed % 6) + 1,
                                      .max_alignment = 4,
                                      .pinned_percent = 10,
                                      .gap_percent = 30,
                                      .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  if (AgreesWithOracle(problem, seed)) return;
  RC_FAIL(testing::ToCsv(
      testing::ShrinkProblem(problem, [&](const Problem& smaller) {
        return !AgreesWithOracle(smaller, seed);
      })));
}

}  // namespace
}  // namespace stowplan::plan
