// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_tree.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/plan/validate.h"
#include "stowplan/solve/search_order.h"
#include "stowplan/solve/search_problems_for_test.h"

namespace stowplan::solve {
namespace {

using plan::Problem;

// The least peak by exhausted searches alone, from 0 up.
template <class Height>
std::optional<Bytes> LeastPeak(const Problem& problem, const ExactRules& rules,
                               Bytes limit) {
  const std::optional<SearchModel> model = SearchModel::Create(problem, 1000);
  for (Bytes height = 0; height * model->unit <= limit;) {
    SearchTree<Height> tree(*model, rules, height, SearchRanks(*model, 5, 1));
    SearchBudget budget(1'000'000, std::nullopt, {});
    switch (tree.Run(&budget)) {
      case SearchEnd::kFound: {
        const plan::Plan plan = model->ToPlan(problem, tree.state().Offsets());
        EXPECT_EQ(Validate(problem, plan), std::nullopt);
        // Every height that was passed over was proved too low.
        EXPECT_EQ(Peak(problem, plan), height * model->unit);
        return Peak(problem, plan);
      }
      case SearchEnd::kExhausted:
        EXPECT_GT(tree.state().next_limit(), height);
        height = tree.state().next_limit();
        break;
      case SearchEnd::kStopped:
        ADD_FAILURE() << "the budget should have been enough";
        return std::nullopt;
    }
  }
  return std::nullopt;
}

TEST(SearchTree, ProvesTheSameLeastPeakUnderEveryCombinationOfRules) {
  int over_bound = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const Features features{(seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0,
                            false};
    const Problem problem = seed % 4 == 0 ? RandomProblem(&random, features)
                                          : DenseProblem(&random, features);
    const std::optional<Bytes> least = BruteForce(problem).LeastPeak(30);
    if (least && *least > LowerBound(problem).bytes) ++over_bound;
    for (int bits = 0; bits < 128; ++bits) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " rules " << bits);
      const ExactRules rules = {
          (bits & 1) != 0,  (bits & 2) != 0,  (bits & 4) != 0, (bits & 8) != 0,
          (bits & 16) != 0, (bits & 32) != 0, (bits & 64) != 0};
      ASSERT_EQ(LeastPeak<int32_t>(problem, rules, 30), least);
      if (bits == 127) {
        ASSERT_EQ(LeastPeak<int64_t>(problem, rules, 30), least);
      }
    }
  }
  EXPECT_GE(over_bound, 5) << "the problems have become too easy to tell";
}

TEST(SearchTree, StopsWithTheBudgetAndStartsAnew) {
  Random random(3);
  const Problem problem = DenseProblem(&random, {});
  const std::optional<SearchModel> model = SearchModel::Create(problem, 1000);
  SearchTree<int32_t> tree(*model, {}, LowerBound(problem).bytes / model->unit,
                           SearchRanks(*model, 0, 0));
  SearchBudget none(1, std::nullopt, {});
  EXPECT_EQ(tree.Run(&none), SearchEnd::kStopped);
  SearchBudget enough(1'000'000, std::nullopt, {});
  EXPECT_NE(tree.Run(&enough), SearchEnd::kStopped);
}

TEST(Luby, BeginsAsInThePaper) {
  const std::vector<int64_t> expected = {1, 1, 2, 1, 1, 2, 4, 1,
                                         1, 2, 1, 1, 2, 4, 8};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(Luby(static_cast<int64_t>(i)), expected[i]) << i;
  }
}

TEST(SpreadPart, HalvesWhatIsLeft) {
  EXPECT_EQ(SpreadPart(0, 800), 400);
  EXPECT_EQ(SpreadPart(1, 800), 200);
  EXPECT_EQ(SpreadPart(2, 800), 600);
  EXPECT_EQ(SpreadPart(3, 800), 100);
}

}  // namespace
}  // namespace stowplan::solve
