// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowplan/solve/radix_order.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_generator.h"
#include "stowplan/testing/problem_oracle.h"
#include "stowplan/testing/problem_random.h"

namespace stowplan::solve {
namespace {

using plan::Problem;
using testing::MakeBuffer;
using testing::MakeProblem;
using Indices = std::vector<Index>;

Indices OrderOf(const Problem& problem, Order order) {
  return MakeOrder(problem, Sections(problem), order);
}

TEST(RadixOrderTest, SortsNegativeAndHugeKeys) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  RadixOrder order(5);
  order.By({kMax, -1, 0, kMin, 1});
  EXPECT_EQ(order.indices(), (Indices{3, 1, 2, 4, 0}));
  order.ByDescending({kMax, -1, 0, kMin, 1});
  EXPECT_EQ(order.indices(), (Indices{0, 4, 2, 1, 3}));
}

RC_GTEST_PROP(RadixOrderTest, SortsAsTheStandardLibraryDoes,
              (std::vector<int64_t> keys)) {
  RadixOrder order(keys.size());
  order.ByDescending(keys);
  Indices expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](Index a, Index b) { return keys[a] > keys[b]; });
  RC_ASSERT(order.indices() == expected);
}

TEST(SectionsTest, BeginOnlyWhereABirthFollowsADeath) {
  const Sections sections(MakeProblem(
      {MakeBuffer(1, {0, 4}), MakeBuffer(1, {1, 3}), MakeBuffer(1, {3, 6})}));
  EXPECT_EQ(sections.count(), 2);
  auto span = [&](Index i) {
    return std::pair(sections.SpanOf(i).first, sections.SpanOf(i).last);
  };
  EXPECT_EQ(span(0), std::pair(0, 2));
  EXPECT_EQ(span(1), std::pair(0, 1));
  EXPECT_EQ(span(2), std::pair(1, 2));
}

RC_GTEST_PROP(SectionsTest, KeepWhoConflictsWithWhomAndTheLoad,
              (uint64_t seed)) {
  const testing::RandomShape shape = {.buffers = 10, .horizon = 12};
  const Problem problem = testing::RandomProblem(shape, seed);
  const Sections sections(problem);
  const std::vector<Bytes> load = sections.Load();
  RC_ASSERT(*std::max_element(load.begin(), load.end()) ==
            testing::MaxLoad(problem));
  for (Index a = 0; a < 10; ++a) {
    for (Index b = 0; b < a; ++b) {
      const Piece x = sections.SpanOf(a);
      const Piece y = sections.SpanOf(b);
      RC_ASSERT(
          Intersects(problem.buffers()[a].live, problem.buffers()[b].live) ==
          (std::max(x.first, y.first) < std::min(x.last, y.last)));
    }
  }
}

TEST(OrderTest, NamesAreAllDifferent) {
  std::vector<std::string_view> names;
  for (Order order : Orders()) names.push_back(ToString(order));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(OrderTest, HoldsEveryBufferOnceAndThePinnedOnesFirst) {
  const testing::RandomShape shape = {.buffers = 30,
                                      .pinned_percent = 20,
                                      .gap_percent = 20,
                                      .zero_percent = 10};
  const Problem problem = testing::RandomProblem(shape, 5);
  for (Order order : Orders()) {
    Indices indices = OrderOf(problem, order);
    EXPECT_TRUE(std::is_partitioned(
        indices.begin(), indices.end(),
        [&](Index i) { return problem.buffers()[i].pinned.has_value(); }));
    std::sort(indices.begin(), indices.end());
    for (Index i = 0; i < 30; ++i) EXPECT_EQ(indices[i], i);
  }
}

// 0: small, always live; 1: large and short; 2: middle, in the fullest step.
Problem ThreeKinds() {
  return MakeProblem({MakeBuffer(2, {0, 9}), MakeBuffer(10, {0, 2}),
                      MakeBuffer(6, {3, 5}), MakeBuffer(6, {4, 6})});
}

TEST(OrderTest, FollowsItsName) {
  const Problem problem = ThreeKinds();
  EXPECT_EQ(OrderOf(problem, Order::kBirth), (Indices{1, 0, 2, 3}));
  EXPECT_EQ(OrderOf(problem, Order::kDeath), (Indices{0, 3, 2, 1}));
  EXPECT_EQ(OrderOf(problem, Order::kSize), (Indices{1, 2, 3, 0}));
  EXPECT_EQ(OrderOf(problem, Order::kLength), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(OrderOf(problem, Order::kBreadth), (Indices{2, 3, 0, 1}));
  EXPECT_EQ(OrderOf(problem, Order::kLoadLengthArea), (Indices{0, 2, 3, 1}));
  EXPECT_EQ(OrderOf(problem, Order::kLargeFirst), (Indices{0, 1, 2, 3}));
}

}  // namespace
}  // namespace stowplan::solve
