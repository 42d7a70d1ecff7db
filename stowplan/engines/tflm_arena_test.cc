// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_arena.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace stowplan::engines {
namespace {

using Kind = ArenaRequest::Kind;

// A report of a model whose recorder says 1,408 bytes and which fails there.
// Persistent memory grows from the top and stays, temporary memory is an
// operator's while it is prepared, the head comes when all are.
struct ReportedOperator {
  const char* name;
  Bytes persistent;
  Bytes temporary;
};

constexpr ReportedOperator kReported[] = {{"CONV_2D_0", 96, 256},
                                          {"DEPTHWISE_1", 96, 256},
                                          {"FULLY_CONNECTED_2", 640, 256},
                                          {"SOFTMAX_3", 64, 1536}};
constexpr Bytes kReportedHead = 512;
constexpr size_t kPrepare = 0;
constexpr size_t kRun = 1;

std::vector<ArenaRequest> ReportedRequests() {
  std::vector<ArenaRequest> requests;
  for (const ReportedOperator& op : kReported) {
    requests.push_back({Kind::kTail, op.persistent, 16, kPrepare});
    requests.push_back({Kind::kTemp, op.temporary, 16, kPrepare});
    requests.push_back({Kind::kDropTemps, 0, 1, kPrepare});
  }
  requests.push_back({Kind::kHead, kReportedHead, 16, kRun});
  return requests;
}

TEST(TflmArenaTest, ThePrepareOfOneOperatorMayNeedMoreThanTheRun) {
  const std::vector<ArenaRequest> requests = ReportedRequests();
  const ArenaNeed need = FindLeastArena(requests, 2, 16);
  EXPECT_EQ(need.bytes, 2432);
  EXPECT_EQ(need.phases[kPrepare].bytes, 2432);
  EXPECT_EQ(need.phases[kRun].bytes, 1408);
  // Three requests an operator: SOFTMAX_3's temporary memory decides.
  const size_t decisive = need.phases[kPrepare].request;
  EXPECT_EQ(std::string(kReported[decisive / 3].name), "SOFTMAX_3");
  EXPECT_EQ(requests[decisive].kind, Kind::kTemp);
}

TEST(TflmArenaTest, PersistentMemoryIsAlignedDownwards) {
  const std::vector<ArenaRequest> requests = {{Kind::kTail, 24, 8, 0},
                                              {Kind::kTail, 10, 16, 0}};
  // 24 + 10 bytes, of which the second has to begin at a multiple of 16.
  EXPECT_EQ(FindLeastArena(requests, 1, 8).bytes, 40);
  EXPECT_EQ(PlaceRequests(requests, 40), (std::vector<Bytes>{16, 0}));
  // In an arena that ends at a multiple of 16 there is a gap between them.
  EXPECT_EQ(PlaceRequests(requests, 48), (std::vector<Bytes>{24, 0}));
}

TEST(TflmArenaTest, TemporaryMemoryIsGivenBackAllAtOnce) {
  const std::vector<ArenaRequest> requests = {{Kind::kHead, 32, 16, 0},
                                              {Kind::kTemp, 20, 4, 0},
                                              {Kind::kTemp, 8, 8, 0},
                                              {Kind::kDropTemps, 0, 1, 0},
                                              {Kind::kTemp, 16, 8, 0}};
  EXPECT_EQ(PlaceRequests(requests, 64),
            (std::vector<Bytes>{0, 32, 56, 32, 32}));
  EXPECT_EQ(FindLeastArena(requests, 1, 8).bytes, 64);
}

TEST(TflmArenaTest, TheWorkspaceIsAlignedAtBothEnds) {
  const std::vector<ArenaRequest> requests = {{Kind::kTail, 8, 8, 0},
                                              {Kind::kTemp, 4, 4, 0},
                                              {Kind::kWorkspace, 40, 16, 0}};
  // 4 bytes, 12 lost, 40 for the planner, 8 lost, 8 of the tail.
  EXPECT_EQ(FindLeastArena(requests, 1, 8).bytes, 72);
}

TEST(TflmArenaTest, PersistentMemoryMustNotDestroyTemporaryMemory) {
  const std::vector<ArenaRequest> requests = {{Kind::kTemp, 64, 8, 0},
                                              {Kind::kTail, 32, 16, 0}};
  EXPECT_EQ(FindLeastArena(requests, 1, 8).bytes, 96);
}

TEST(TflmArenaTest, NoRequestsNeedNoArena) {
  EXPECT_EQ(FindLeastArena({}, 1, 8).bytes, 0);
}

// Whether all requests fit, by their places alone.
bool Fits(const std::vector<ArenaRequest>& requests, Bytes size) {
  const std::vector<Bytes> places = PlaceRequests(requests, size);
  Bytes tail = size, top = 0, head = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    switch (requests[i].kind) {
      case Kind::kTail:
        tail = places[i];
        break;
      case Kind::kHead:
        top = head = requests[i].bytes;
        break;
      case Kind::kDropTemps:
        top = head;
        break;
      case Kind::kTemp:
        top = places[i] + requests[i].bytes;
        break;
      case Kind::kWorkspace:
        top = places[i] + requests[i].bytes;
        if (top > (tail & ~Bytes{15})) return false;
        break;
    }
    if (top > tail) return false;
  }
  return true;
}

ArenaRequest RequestOf(int kind, Bytes bytes, int alignment) {
  switch (kind) {
    case 0:
      return {Kind::kTemp, bytes, Bytes{1} << alignment, 0};
    case 1:
      return {Kind::kDropTemps, 0, 1, 0};
    case 2:
      return {Kind::kHead, bytes, 16, 0};
    case 3:
      return {Kind::kWorkspace, bytes, 16, 0};
    default:
      return {Kind::kTail, bytes, Bytes{1} << alignment, 0};
  }
}

RC_GTEST_PROP(TflmArenaTest, TheLeastArenaIsTheLeastThatFits, ()) {
  std::vector<ArenaRequest> requests;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    requests.push_back(RequestOf(*rc::gen::inRange(0, 7),
                                 *rc::gen::inRange<Bytes>(0, 80),
                                 *rc::gen::inRange(0, 5)));
  }
  const Bytes least = FindLeastArena(requests, 1, 1).bytes;
  RC_ASSERT(Fits(requests, least));
  for (Bytes size = 0; size < least; ++size) RC_ASSERT(!Fits(requests, size));
}

}  // namespace
}  // namespace stowplan::engines
