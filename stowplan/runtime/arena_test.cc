// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/arena.h"

#include <gtest/gtest.h>

#include <vector>

#include "stowplan/runtime/overflow.h"

namespace stowplan::runtime {
namespace {

TEST(ArenaTest, BeginsAtAMultipleOfSixtyFour) {
  Arena arena("arena");
  ASSERT_TRUE(arena.Commit(100, Shrink::kShrink));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % 64, 0u);
  EXPECT_EQ(arena.size(), 100);
}

TEST(ArenaTest, GivesTheRestBackWhenAskedTo) {
  Arena arena("arena");
  ASSERT_TRUE(arena.Commit(10000, Shrink::kShrink));
  ASSERT_TRUE(arena.Commit(100, Shrink::kKeep));
  EXPECT_GE(arena.capacity(), 10000);
  ASSERT_TRUE(arena.Commit(100, Shrink::kShrink));
  EXPECT_EQ(arena.capacity(), 128);
  EXPECT_EQ(arena.high_water(), 10000);
}

TEST(ArenaTest, ReleasedMemoryIsGone) {
  Arena arena("arena");
  ASSERT_TRUE(arena.Commit(100, Shrink::kShrink));
  arena.Release();
  EXPECT_EQ(arena.capacity(), 0);
  EXPECT_EQ(arena.data(), nullptr);
}

TEST(ArenaTest, SaysHowManyBytesOfTheCallersMemoryAreMissing) {
  alignas(64) std::byte memory[256];
  Arena arena("arena", memory);
  ASSERT_TRUE(arena.Commit(256, Shrink::kKeep));
  EXPECT_EQ(arena.data(), memory);
  const Status status = arena.Commit(300, Shrink::kKeep);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kIo);
  EXPECT_NE(status.error().what.find("44 more"), std::string::npos)
      << status.error().what;
}

TEST(ArenaTest, SkipsToTheAlignmentInsideTheCallersMemory) {
  alignas(64) std::byte memory[256];
  Arena arena("arena", std::span<std::byte>(memory).subspan(1));
  ASSERT_TRUE(arena.Commit(192, Shrink::kKeep));
  EXPECT_EQ(arena.data(), memory + 64);
  EXPECT_FALSE(arena.Commit(193, Shrink::kKeep));
}

TEST(OverflowTest, JoinsItsBlocksSoThatTheSameRunGrowsItOnce) {
  Overflow overflow(1 << 20);
  for (int run = 0; run < 3; ++run) {
    overflow.Restart();
    ASSERT_TRUE(overflow.Take(100, "a"));
    ASSERT_TRUE(overflow.Take(5000, "b"));
  }
  EXPECT_EQ(overflow.growths(), 3);  // Two blocks, then one for both.
  EXPECT_EQ(overflow.used(), 128 + 5056);
  EXPECT_EQ(overflow.high_water(), 128 + 5056);
}

TEST(OverflowTest, RefusesWhatExceedsItsLimit) {
  Overflow overflow(1000);
  ASSERT_TRUE(overflow.Take(500, "a"));
  const auto refused = overflow.Take(600, "tensor 7");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "tensor 7");
}

// What is missing counts up to where the memory begins to be usable.
TEST(ArenaTest, CountsTheBytesBeforeTheAlignmentAsMissing) {
  alignas(64) std::byte memory[256];
  Arena arena("arena", std::span<std::byte>(memory).subspan(8, 16));
  const Status status = arena.Commit(64, Shrink::kKeep);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "it needs 64 bytes, 104 more than there are");
  arena.Use(std::span<std::byte>(memory).subspan(8, 16 + 104));
  EXPECT_TRUE(arena.Commit(64, Shrink::kKeep));
}

TEST(ArenaTest, MemoryWithoutBytesIsGivenAndTooLittle) {
  std::byte nothing;
  Arena arena("arena", std::span<std::byte>(&nothing, 0));
  EXPECT_TRUE(arena.Commit(0, Shrink::kKeep));
  EXPECT_FALSE(arena.Commit(1, Shrink::kKeep));
  arena.Use({});
  EXPECT_TRUE(arena.Commit(1, Shrink::kKeep));  // From the heap.
}

TEST(OverflowTest, TakesFromTheCallersMemoryAndNeverGrows) {
  alignas(64) std::byte memory[256];
  Overflow overflow(1 << 20);
  overflow.Use(memory);
  for (int run = 0; run < 3; ++run) {
    overflow.Restart();
    EXPECT_EQ(overflow.Take(100, "a").value(), memory);
    EXPECT_EQ(overflow.Take(128, "b").value(), memory + 128);
    const auto refused = overflow.Take(1, "tensor 7");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("64 too few"), std::string::npos)
        << refused.error().ToString();
  }
  EXPECT_EQ(overflow.growths(), 0);
  EXPECT_EQ(overflow.high_water(), 256);
}

TEST(OverflowTest, ABlockThatNobodyUsesIsGivenBackBeforeALargerOneComes) {
  Overflow overflow(1 << 20);
  ASSERT_TRUE(overflow.Take(100, "a"));
  overflow.Restart();
  ASSERT_TRUE(overflow.Take(1000, "a"));
  EXPECT_EQ(overflow.capacity(), 1024);
}

}  // namespace
}  // namespace stowplan::runtime
