// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/byte_map.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"

namespace stowplan::engines {
namespace {

TEST(ByteMapTest, FindsWhatWasWritten) {
  ByteMap map;
  map.Write({0, 10, 1, 0, 1});
  EXPECT_FALSE(map.FindLoss({0, 10}, 1).has_value());
  map.Write({4, 6, 2, 4, 2});
  const auto loss = map.FindLoss({0, 10}, 1);
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->begin, 4);
  EXPECT_EQ(loss->end, 6);
  EXPECT_EQ(loss->value, 2);
  EXPECT_FALSE(map.FindLoss({4, 6}, 2).has_value());
}

TEST(ByteMapTest, TellsAShiftedCopyFromTheValueItself) {
  ByteMap map;
  map.Write({0, 10, 1, 0, 1});
  map.Write({5, 15, 1, 5, 1});
  EXPECT_TRUE(map.FindLoss({0, 10}, 1).has_value());
  EXPECT_FALSE(map.FindLoss({5, 15}, 1).has_value());
}

TEST(ByteMapTest, SaysThatNobodyWrote) {
  ByteMap map;
  map.Write({0, 4, 1, 0, 1});
  map.Write({8, 12, 1, 0, 1});
  const auto loss = map.FindLoss({0, 12}, 1);
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->value, kNothing);
  EXPECT_EQ(loss->begin, 4);
  EXPECT_EQ(loss->end, 8);
}

TEST(ByteMapTest, MergeKeepsOnlyWhatBothHave) {
  ByteMap a;
  a.Write({0, 8, 1, 0, 1});
  ByteMap b = a;
  b.Write({4, 8, 2, 4, 2});
  const ByteMap merged = Merge(a, b);
  EXPECT_FALSE(merged.FindLoss({0, 4}, 1).has_value());
  EXPECT_EQ(merged.FindLoss({0, 8}, 1)->value, 2);
}

// Against an array with one entry a byte.
TEST(ByteMapTest, AgreesWithAnArray) {
  rc::check([] {
    constexpr size_t kSize = 24;
    std::vector<std::pair<ValueId, Bytes>> bytes(kSize, {kNothing, 0});
    ByteMap map;
    const auto writes = *rc::gen::inRange(0, 12);
    for (ValueId value = 0; value < writes; ++value) {
      const auto begin = *rc::gen::inRange<Bytes>(0, kSize);
      const auto end = *rc::gen::inRange<Bytes>(begin, kSize + 1);
      map.Write({begin, end, value, begin, value});
      for (Bytes i = begin; i < end; ++i) {
        bytes[static_cast<size_t>(i)] = {value, begin};
      }
    }
    const auto begin = *rc::gen::inRange<Bytes>(0, kSize);
    const auto end = *rc::gen::inRange<Bytes>(begin, kSize + 1);
    const auto wanted = *rc::gen::inRange<ValueId>(0, 12);
    Bytes first = begin;
    while (first < end &&
           bytes[static_cast<size_t>(first)] == std::pair(wanted, begin)) {
      ++first;
    }
    const auto loss = map.FindLoss({begin, end}, wanted);
    RC_ASSERT(loss.has_value() == (first < end));
    if (loss) {
      RC_ASSERT(loss->begin == first);
      RC_ASSERT(loss->value == bytes[static_cast<size_t>(first)].first);
    }
  });
}

}  // namespace
}  // namespace stowplan::engines
