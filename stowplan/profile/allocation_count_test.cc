// SPDX-License-Identifier: Apache-2.0
#include "stowplan/profile/allocation_count.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <thread>

#include "stowplan/profile/process_memory.h"

namespace stowplan::profile {
namespace {

#define SKIP_WITHOUT_COUNTING()                             \
  if (!CountsAllocations()) {                               \
    GTEST_SKIP() << "malloc is not replaced in this build"; \
  }

TEST(AllocationCountTest, CountsNewMallocAndAlignedMemory) {
  SKIP_WITHOUT_COUNTING();
  const AllocationCount before = AllocationsOfThread();
  auto* volatile number = new int(3);
  void* volatile block = std::malloc(100);
  void* volatile aligned = std::aligned_alloc(64, 128);
  const AllocationCount count = AllocationsOfThread() - before;
  delete number;
  std::free(block);
  std::free(aligned);
  EXPECT_EQ(count.calls, 3);
  EXPECT_EQ(count.bytes, static_cast<int64_t>(sizeof(int)) + 100 + 128);
}

TEST(AllocationCountTest, CountsNothingWhereNothingIsAskedFor) {
  SKIP_WITHOUT_COUNTING();
  const AllocationCount before = AllocationsOfThread();
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += i;
  EXPECT_EQ((AllocationsOfThread() - before).calls, 0);
  EXPECT_EQ(sum, 4950);
}

TEST(AllocationCountTest, KeepsThreadsApart) {
  SKIP_WITHOUT_COUNTING();
  int64_t calls = 0;
  std::thread thread([&calls] {
    const AllocationCount before = AllocationsOfThread();
    std::free(std::malloc(1000));
    calls = (AllocationsOfThread() - before).calls;
  });
  thread.join();
  EXPECT_LE(calls, 1);  // A compiler may leave the pair out.
}

TEST(HeapUseTest, KnowsWhatIsHeldAndTheMostThatWas) {
  SKIP_WITHOUT_COUNTING();
  ResetHeapPeak();
  const int64_t before = HeapOfProcess().live_bytes;
  void* volatile block = std::malloc(100000);
  const int64_t held = HeapOfProcess().live_bytes - before;
  EXPECT_GE(held, 100000);
  EXPECT_LT(held, 101000);
  block = std::realloc(block, 300000);
  EXPECT_GE(HeapOfProcess().live_bytes - before, 300000);
  std::free(block);
  EXPECT_EQ(HeapOfProcess().live_bytes, before);
  EXPECT_GE(HeapOfProcess().peak_bytes - before, 300000);
  ResetHeapPeak();
  EXPECT_EQ(HeapOfProcess().peak_bytes, before);
}

TEST(ProcessMemoryTest, ReadsAFieldInBytes) {
  const std::string_view text = "VmPeak:\t  10 kB\nVmRSS:\t   4 kB\n";
  EXPECT_EQ(FieldOf(text, "VmRSS"), 4096);
  EXPECT_EQ(FieldOf(text, "VmPeak"), 10240);
  EXPECT_EQ(FieldOf(text, "Vm"), std::nullopt);
  EXPECT_EQ(FieldOf("VmRSS:\n", "VmRSS"), std::nullopt);
}

TEST(ProcessMemoryTest, CountsThePagesOfASmallBlock) {
  constexpr size_t kSize = size_t{64} << 10;
  auto block = std::make_unique<char[]>(kSize);  // Zeroed, so touched.
  const auto resident = ResidentBytes(block.get(), static_cast<Bytes>(kSize));
  if (!resident) GTEST_SKIP() << "/proc/self/pagemap is not there";
  EXPECT_GE(*resident, static_cast<Bytes>(kSize));
}

TEST(ProcessMemoryTest, SeesTouchedPages) {
  const auto before = ReadProcessMemory();
  if (!before) GTEST_SKIP() << "/proc is not there";
  constexpr size_t kSize = size_t{8} << 20;
  auto block = std::make_unique<char[]>(kSize);
  for (size_t i = 0; i < kSize; i += 4096) block[i] = 1;
  const auto after = ReadProcessMemory();
  EXPECT_GE(after->peak_resident, before->resident + (Bytes{7} << 20));
  const auto resident = ResidentBytes(block.get(), static_cast<Bytes>(kSize));
  if (resident) {
    EXPECT_GE(*resident, static_cast<Bytes>(kSize));
  }
}

}  // namespace
}  // namespace stowplan::profile
