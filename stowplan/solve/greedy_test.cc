// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/greedy.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/base/checked_math.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/solve/order.h"
#include "stowplan/solve/sweep.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"

namespace stowplan::solve {
namespace {

using plan::Plan;
using plan::Problem;
using testing::MakeBuffer;
using testing::MakeProblem;

// The definition of both fits, word for word: look at every offset.
class SlowGreedy {
 public:
  explicit SlowGreedy(const Problem& problem) : problem_(problem) {
    for (const plan::Buffer& buffer : problem.buffers()) {
      top_ += buffer.size + buffer.alignment;
      top_ = std::max(top_, buffer.pinned.value_or(0) + buffer.size);
    }
    top_ *= 2;
  }

  Plan Run(const std::vector<Index>& order, Fit fit) {
    Plan plan;
    plan.offsets.assign(problem_.size(), 0);
    for (Index index : order) {
      const plan::Buffer& buffer = problem_.buffers()[index];
      plan.offsets[index] = buffer.pinned ? *buffer.pinned
                            : fit == Fit::kBest && buffer.gaps.empty()
                                ? BestFit(plan, index)
                                : LowestFit(plan, index, 0);
      placed_.push_back(index);
    }
    return plan;
  }

 private:
  bool IsFree(const Plan& plan, Index index, Bytes offset) const {
    return std::all_of(placed_.begin(), placed_.end(), [&](Index other) {
      return Apart(plan, problem_.buffers()[index], offset, other);
    });
  }
  bool Apart(const Plan& plan, const plan::Buffer& buffer, Bytes offset,
             Index placed) const {
    plan::Buffer other = problem_.buffers()[placed];
    other.pinned.reset();
    return testing::IsValidPlan(MakeProblem({buffer, other}),
                                Plan{{offset, plan.offsets[placed]}});
  }
  Bytes LowestFit(const Plan& plan, Index index, Bytes from) const {
    const Bytes step = problem_.buffers()[index].alignment;
    Bytes offset = AlignUp(from, step);
    while (!IsFree(plan, index, offset)) offset += step;
    return offset;
  }
  // Every maximal run of free bytes is a hole.
  Bytes BestFit(const Plan& plan, Index index) const {
    const plan::Buffer& buffer = problem_.buffers()[index];
    if (buffer.size == 0) return 0;
    Bytes best = std::numeric_limits<Bytes>::max();
    Bytes best_offset = 0;
    Bytes offset = LowestFit(plan, index, 0);
    while (offset < top_) {
      Bytes end = offset + buffer.size;
      while (end < top_ && ByteIsFree(plan, index, end)) ++end;
      if (end >= top_) break;
      if (end - offset < best) {
        best = end - offset;
        best_offset = offset;
      }
      offset = LowestFit(plan, index, end);
    }
    return best < std::numeric_limits<Bytes>::max() ? best_offset : offset;
  }
  bool ByteIsFree(const Plan& plan, Index index, Bytes byte) const {
    plan::Buffer one = problem_.buffers()[index];
    one.size = 1;
    one.alignment = 1;
    return std::all_of(placed_.begin(), placed_.end(), [&](Index other) {
      return Apart(plan, one, byte, other);
    });
  }

  const Problem& problem_;
  Bytes top_ = 1;
  std::vector<Index> placed_;
};

Plan Place(const Problem& problem, Order order, Fit fit) {
  const Sections sections(problem);
  return *PlaceInOrder(problem, sections, MakeOrder(problem, sections, order),
                       fit);
}

TEST(GreedyTest, TakesTheSmallestHoleOrTheLowest) {
  // At step 0: [0, 4) free, [4, 5) taken, [5, 7) free, [7, 8) taken.
  const Problem problem =
      MakeProblem({MakeBuffer(1, {0, 1}, 1, 4), MakeBuffer(1, {0, 1}, 1, 7),
                   MakeBuffer(2, {0, 1})});
  EXPECT_EQ(Place(problem, Order::kSize, Fit::kLowest).offsets[2], 0);
  EXPECT_EQ(Place(problem, Order::kSize, Fit::kBest).offsets[2], 5);
}

TEST(GreedyTest, GivesUpWhenThePlanCannotBeBetter) {
  const Problem problem =
      MakeProblem({MakeBuffer(4, {0, 2}), MakeBuffer(4, {1, 3})});
  const Sections sections(problem);
  const std::vector<Index> order = {0, 1};
  EXPECT_EQ(PlaceInOrder(problem, sections, order, Fit::kLowest, 8),
            std::nullopt);
  EXPECT_TRUE(PlaceInOrder(problem, sections, order, Fit::kLowest, 9));
}

RC_GTEST_PROP(GreedyTest, LowestFitIsLowest, (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 9,
                                      .horizon = 8,
                                      .max_alignment = 4,
                                      .pinned_percent = 8,
                                      .gap_percent = 30,
                                      .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  for (Order order : Orders()) {
    const std::vector<Index> indices =
        MakeOrder(problem, Sections(problem), order);
    RC_ASSERT(Place(problem, order, Fit::kLowest) ==
              SlowGreedy(problem).Run(indices, Fit::kLowest));
  }
}

RC_GTEST_PROP(GreedyTest, BestFitIsTightest, (uint64_t seed)) {
  const testing::RandomShape shape = {
      .buffers = 9, .horizon = 8, .pinned_percent = 15, .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  const std::vector<Index> indices =
      MakeOrder(problem, Sections(problem), Order::kSize);
  RC_ASSERT(Place(problem, Order::kSize, Fit::kBest) ==
            SlowGreedy(problem).Run(indices, Fit::kBest));
}

RC_GTEST_PROP(SweepTest, ComesToTheSamePlanAsPlacingInOrderOfBirth,
              (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 60,
                                      .horizon = 40,
                                      .max_size = 30,
                                      .max_alignment = 8,
                                      .pinned_percent = 1,
                                      .zero_percent = 5};
  const Problem problem = testing::RandomProblem(shape, seed);
  Plan swept;
  std::vector<bool> is_fixed;
  std::vector<plan::Buffer> pinned;
  Plan of_pinned;
  for (const plan::Buffer& buffer : problem.buffers()) {
    is_fixed.push_back(buffer.pinned.has_value());
    swept.offsets.push_back(buffer.pinned.value_or(0));
    if (!buffer.pinned) continue;
    pinned.push_back(buffer);
    of_pinned.offsets.push_back(*buffer.pinned);
  }
  RC_PRE(testing::IsValidPlan(MakeProblem(pinned), of_pinned));
  const Sections sections(problem);
  SweepAround(problem, sections, MakeOrder(problem, sections, Order::kBirth),
              is_fixed, &swept);
  RC_ASSERT(swept == Place(problem, Order::kBirth, Fit::kLowest));
}

}  // namespace
}  // namespace stowplan::solve
