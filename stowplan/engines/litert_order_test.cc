// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert_order.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"

namespace stowplan::engines {
namespace {

TEST(HashOrderTest, HandsOutSmallIdsLastFirst) {
  HashOrder order;
  for (int32_t id : {3, 1, 2}) order.Insert(id);
  order.Insert(1);
  EXPECT_EQ(order.ids(), (std::vector<int32_t>{2, 1, 3}));
}

TEST(HashOrderTest, PutsAnIdInFrontOfItsBucket) {
  HashOrder order;
  for (int32_t id : {0, 1, 13}) order.Insert(id);  // 13 buckets.
  EXPECT_EQ(order.ids(), (std::vector<int32_t>{1, 13, 0}));
}

TEST(IntroSortTest, KeepsShortListsStable) {
  std::vector<int32_t> ids = {10, 11, 20, 21, 12};
  auto by_tens = [](int32_t a, int32_t b) { return a / 10 < b / 10; };
  IntroSort<decltype(by_tens)>(&ids, by_tens).Run();
  EXPECT_EQ(ids, (std::vector<int32_t>{10, 11, 12, 20, 21}));
}

#ifdef __GLIBCXX__
// The library whose order is followed is at hand.
TEST(HashOrderTest, AgreesWithTheLibrary) {
  rc::check([](const std::vector<uint16_t>& numbers) {
    HashOrder order;
    std::unordered_set<int> set;
    for (uint16_t number : numbers) {
      order.Insert(number);
      set.insert(number);
    }
    RC_ASSERT(order.ids() == std::vector<int32_t>(set.begin(), set.end()));
  });
}

TEST(HashOrderTest, AgreesWithTheLibraryOnManyIds) {
  HashOrder order;
  std::unordered_set<int> set;
  for (int32_t i = 0; i < 3000; ++i) {
    const int32_t id = i * 7919 % 10007;
    order.Insert(id);
    set.insert(id);
  }
  EXPECT_EQ(order.ids(), std::vector<int32_t>(set.begin(), set.end()));
}

template <class Less>
void ExpectSameOrder(std::vector<int32_t> ids, Less less) {
  std::vector<int32_t> library = ids;
  std::sort(library.begin(), library.end(), less);
  IntroSort<Less>(&ids, less).Run();
  EXPECT_EQ(ids, library);
}

TEST(IntroSortTest, AgreesWithTheLibraryOnTies) {
  rc::check([](const std::vector<uint8_t>& keys) {
    std::vector<int32_t> ids(keys.size());
    std::iota(ids.begin(), ids.end(), 0);
    auto less = [&keys](int32_t a, int32_t b) {
      return keys[static_cast<size_t>(a)] % 8 <
             keys[static_cast<size_t>(b)] % 8;
    };
    std::vector<int32_t> library = ids;
    std::sort(library.begin(), library.end(), less);
    IntroSort<decltype(less)>(&ids, less).Run();
    RC_ASSERT(ids == library);
  });
}

TEST(IntroSortTest, AgreesWithTheLibraryWhereItFallsBackToHeapSort) {
  // McIlroy's adversary makes the keys up while the library sorts, so that
  // every pivot is among the least.
  constexpr int32_t kCount = 2000;
  std::vector<int32_t> keys(kCount, kCount);
  int32_t solid = 0, candidate = 0;
  std::vector<int32_t> ids(kCount);
  std::iota(ids.begin(), ids.end(), 0);
  const std::vector<int32_t> start = ids;
  std::sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    int32_t& x = keys[static_cast<size_t>(a)];
    int32_t& y = keys[static_cast<size_t>(b)];
    if (x == kCount && y == kCount) (a == candidate ? x : y) = solid++;
    if (x == kCount) candidate = a;
    if (y == kCount) candidate = b;
    return x < y;
  });
  ExpectSameOrder(start, [&keys](int32_t a, int32_t b) {
    return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)];
  });
  // The same with ties.
  ExpectSameOrder(start, [&keys](int32_t a, int32_t b) {
    return keys[static_cast<size_t>(a)] / 4 < keys[static_cast<size_t>(b)] / 4;
  });
}
#endif

}  // namespace
}  // namespace stowplan::engines
