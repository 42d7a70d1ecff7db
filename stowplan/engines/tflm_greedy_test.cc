// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_greedy.h"

#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace stowplan::engines {
namespace {

TEST(TflmGreedyTest, TheLargestIsPlacedFirst) {
  EXPECT_EQ(PlaceGreedily({{16, 0, 1, {}}, {64, 0, 1, {}}, {32, 1, 2, {}}}),
            (std::vector<Bytes>{96, 0, 64}));
}

TEST(TflmGreedyTest, AmongEqualsTheLastIsPlacedFirst) {
  EXPECT_EQ(PlaceGreedily({{16, 0, 0, {}}, {16, 0, 0, {}}, {16, 0, 0, {}}}),
            (std::vector<Bytes>{32, 16, 0}));
}

TEST(TflmGreedyTest, ItTakesTheFirstGapAndNotTheBest) {
  //   96 +----+
  //      | 48 |   step 0 leaves gaps of 32 and, above it, of 16
  //   ...
  const std::vector<GreedyBuffer> buffers = {
      {48, 0, 0, 0},    // [0, 48)
      {16, 0, 0, 80},   // [80, 96), behind a gap of 32
      {16, 0, 0, 112},  // [112, 128), behind a gap of 16
      {16, 0, 0, {}}};
  EXPECT_EQ(PlaceGreedily(buffers)[3], 48);
}

TEST(TflmGreedyTest, TheLastStepOfOneIsStillTaken) {
  EXPECT_EQ(PlaceGreedily({{16, 0, 3, {}}, {16, 3, 5, {}}}),
            (std::vector<Bytes>{16, 0}));
  EXPECT_EQ(PlaceGreedily({{16, 0, 3, {}}, {16, 4, 5, {}}}),
            (std::vector<Bytes>{0, 0}));
}

TEST(TflmGreedyTest, WhatNoRunTouchesIsPlacedAsIfInUseTogether) {
  const std::vector<GreedyBuffer> buffers = {
      {16, -1, -1, {}}, {16, -1, -1, {}}, {16, 0, 9, {}}};
  EXPECT_EQ(PlaceGreedily(buffers), (std::vector<Bytes>{16, 0, 0}));
  EXPECT_EQ(TopOf(buffers, PlaceGreedily(buffers)), 32);
}

TEST(TflmGreedyTest, AnOfflinePlanIsNotChecked) {
  const std::vector<GreedyBuffer> buffers = {
      {32, 0, 1, 8}, {32, 0, 1, 8}, {16, 0, 1, {}}};
  EXPECT_EQ(PlaceGreedily(buffers), (std::vector<Bytes>{8, 8, 40}));
  EXPECT_EQ(TopOf(buffers, PlaceGreedily(buffers)), 56);
}

RC_GTEST_PROP(TflmGreedyTest, FreeBuffersInUseTogetherNeverOverlap, ()) {
  std::vector<GreedyBuffer> buffers;
  const int count = *rc::gen::inRange(0, 30);
  for (int i = 0; i < count; ++i) {
    const int64_t first = *rc::gen::inRange(0, 8);
    buffers.push_back({16 * *rc::gen::inRange<Bytes>(1, 9),
                       first,
                       first + *rc::gen::inRange(0, 4),
                       {}});
  }
  const std::vector<Bytes> offsets = PlaceGreedily(buffers);
  for (size_t i = 0; i < buffers.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (buffers[i].first > buffers[j].last) continue;
      if (buffers[j].first > buffers[i].last) continue;
      RC_ASSERT(offsets[i] + buffers[i].bytes <= offsets[j] ||
                offsets[j] + buffers[j].bytes <= offsets[i]);
    }
  }
}

}  // namespace
}  // namespace stowplan::engines
