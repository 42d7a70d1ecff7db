// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/foreign_plan.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/engines/replay.h"
#include "stowplan/engines/test_graph.h"

namespace stowplan::engines {
namespace {

using graph::OpKind;
using graph::TensorId;

// x -> RESHAPE -> a -> POOL -> b -> POOL -> y; all of 64 bytes.
graph::Model Chain() {
  TestGraph g;
  const TensorId x = g.Tensor("x", {16});
  const TensorId a = g.Tensor("a", {4, 4});
  const TensorId b = g.Tensor("b", {16});
  const TensorId y = g.Tensor("y", {16});
  g.Add(OpKind::kReshape, {x}, {a});
  g.Add(OpKind::kAveragePool2d, {a}, {b});
  g.Add(OpKind::kAveragePool2d, {b}, {y});
  g.SetBoundary({x}, {y});
  return g.model();
}

schedule::MemoryNeeds NeedsOf(const graph::Model& model) {
  const auto needs = schedule::FindMemoryNeeds(model, {});
  EXPECT_TRUE(needs.has_value());
  return needs.value();
}

bool IsSound(const graph::Model& model, const Result<Layout>& layout) {
  EXPECT_TRUE(layout.has_value()) << layout.error().ToString();
  return layout.has_value() && ReplayPlan(model, *layout).ok();
}

std::string ErrorOf(const Result<Layout>& layout) {
  return layout.has_value() ? "" : layout.error().ToString();
}

std::vector<std::byte> Words(const std::vector<int32_t>& words) {
  std::vector<std::byte> bytes;
  for (int32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(
          static_cast<std::byte>(static_cast<uint32_t>(word) >> shift));
    }
  }
  return bytes;
}

TEST(ForeignPlanTest, ReadsAnAddressList) {
  const graph::Model model = Chain();
  EXPECT_TRUE(IsSound(model, ReadAddressList(model, NeedsOf(model),
                                             "# from a debugger\n"
                                             "0 0x1000 64\n"
                                             "0:1, 0x1000, 64\r\n"
                                             "2 0x1040 64\n\n"
                                             "3 4096 64\n")));
  EXPECT_FALSE(
      IsSound(model, ReadAddressList(model, NeedsOf(model),
                                     "0 0 64\n1 0 64\n2 32 64\n3 128 64\n")));
}

TEST(ForeignPlanTest, SaysWhatAnAddressListLeavesOut) {
  const graph::Model model = Chain();
  const auto layout =
      ReadAddressList(model, NeedsOf(model), "0 0 64\n1 0 64\n77 0 64\n");
  ASSERT_TRUE(layout.has_value());
  ASSERT_EQ(layout->notes.size(), 2u);
  EXPECT_EQ(layout->notes[0].substr(0, 14), "2 of 4 tensors");
  EXPECT_EQ(layout->notes[1].substr(0, 13), "1 temporaries");
}

TEST(ForeignPlanTest, NamesTheLineThatIsWrong) {
  const graph::Model model = Chain();
  EXPECT_EQ(
      ErrorOf(ReadAddressList(model, NeedsOf(model), "0 0 64\n1 zero 64\n"))
          .substr(0, 7),
      "line 2:");
  EXPECT_NE(ErrorOf(ReadAddressList(model, NeedsOf(model), "0 0 64\n0 0 64\n"))
                .find("two places"),
            std::string::npos);
  EXPECT_NE(ErrorOf(ReadAddressList(model, NeedsOf(model),
                                    "0 9223372036854775807 64\n1 0 9\n"))
                .find("2^61"),
            std::string::npos);
}

TEST(ForeignPlanTest, ReadsOurJson) {
  const graph::Model model = Chain();
  const std::string head =
      R"({"schema": "stowplan.plan/1", "engine": "stowplan", "tensors": [)"
      R"({"subgraph": 0, "tensor": 0, "kind": "arena", "bytes": 64, "offset": 0},)"
      R"({"subgraph": 0, "tensor": 1, "kind": "arena", "bytes": 64, "offset": 0},)"
      R"({"subgraph": 0, "tensor": 2, "kind": "arena", "bytes": 64, "offset": 64},)"
      R"({"subgraph": 0, "tensor": 3, "kind": "arena", "bytes": 64, "offset": 0})";
  EXPECT_TRUE(IsSound(model, ReadPlanJson(model, NeedsOf(model), head + "]}")));
  // Scratch of operator 1 on its operand.
  EXPECT_FALSE(
      IsSound(model, ReadPlanJson(model, NeedsOf(model),
                                  head + R"(,{"subgraph": 0, "tensor": null,)"
                                         R"( "owner": 1, "kind": "scratch",)"
                                         R"( "bytes": 8, "offset": 8}]})")));
  EXPECT_NE(ErrorOf(ReadPlanJson(model, NeedsOf(model), "{}"))
                .find("stowplan.plan/1"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(ReadPlanJson(model, NeedsOf(model),
                           R"({"schema": "stowplan.plan/1", "tensors": [)"
                           R"({"subgraph": 7, "tensor": 0, "kind": "arena",)"
                           R"( "bytes": 1, "offset": 0}]})"))
          .find("plan.tensors[0]"),
      std::string::npos);
}

// A plan of the chain with its arena and its rows, of which one is replaced.
std::string PlanWith(size_t at, const std::string& row,
                     const std::string& head = "") {
  std::vector<std::string> rows;
  const int offsets[] = {0, 0, 64, 0};
  for (size_t t = 0; t < 4; ++t) {
    rows.push_back(R"({"subgraph": 0, "tensor": )" + std::to_string(t) +
                   R"(, "kind": "arena", "bytes": 64, "offset": )" +
                   std::to_string(offsets[t]) + "}");
  }
  if (at < rows.size()) rows[at] = row;
  std::string text = R"({"schema": "stowplan.plan/1", "engine": "stowplan", )" +
                     head + R"("arena": {"bytes": 128}, "tensors": [)";
  for (size_t t = 0; t < rows.size(); ++t) text += (t > 0 ? "," : "") + rows[t];
  return text + "]}";
}

std::string RowOf(const std::string& offset, const std::string& bytes = "64",
                  const std::string& more = "") {
  return R"({"subgraph": 0, "tensor": 2, "kind": "arena", "bytes": )" + bytes +
         R"(, "offset": )" + offset + more + "}";
}

TEST(ForeignPlanTest, RefusesAPlanThatPlacesNothing) {
  const graph::Model model = Chain();
  const schedule::MemoryNeeds needs = NeedsOf(model);
  const std::string none = "none of the 4 tensors";
  EXPECT_NE(ErrorOf(ReadAddressList(model, needs, "")).find(none),
            std::string::npos);
  EXPECT_NE(ErrorOf(ReadAddressList(model, needs, "77 0 64\n")).find(none),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(ReadOfflinePlan(model, needs, Words({0, 1, 4, -1, -1, -1, -1})))
          .find(none),
      std::string::npos);
  EXPECT_NE(
      ErrorOf(ReadPlanJson(model, needs,
                           R"({"schema": "stowplan.plan/1", "tensors": []})"))
          .find("has no place"),
      std::string::npos);
}

TEST(ForeignPlanTest, RefusesRowsThatAreNotOfTheModel) {
  const graph::Model model = Chain();
  const schedule::MemoryNeeds needs = NeedsOf(model);
  EXPECT_TRUE(IsSound(model, ReadPlanJson(model, needs, PlanWith(9, ""))));
  EXPECT_TRUE(IsSound(
      model, ReadPlanJson(model, needs,
                          PlanWith(2, RowOf("64", "64", R"(,"name":"b")")))));
  const std::pair<std::string, const char*> rows[] = {
      {RowOf("\"0\""), "no whole number"},
      {RowOf("1.5"), "no whole number"},
      {RowOf("1e30"), "no whole number"},
      {RowOf("-64"), "no whole number"},
      {RowOf("null"), "no offset"},
      {RowOf("64", "32"), "but it has 64"},
      {RowOf("64", "null"), "bytes are missing"},
      {RowOf("65"), "beyond the plan's arena of 128"},
      {RowOf("9223372036854775807"), "beyond the plan's arena of 128"},
      {RowOf("64", "64", R"(,"name":"other")"), "calls it 'other'"},
      {R"({"subgraph": 0, "tensor": 2, "kind": "mapped"})", "no constant"},
      {R"({"subgraph": 0, "tensor": 2, "kind": "dynamic"})", "has no place"},
      {R"({"subgraph": 0, "tensor": 2, "kind": 7})", "none that plans have"},
      {R"({"subgraph": 0, "tensor": 4, "kind": "none"})", "no such tensor"},
      {"7", "no object"}};
  for (const auto& [row, what] : rows) {
    const std::string error =
        ErrorOf(ReadPlanJson(model, needs, PlanWith(2, row)));
    EXPECT_NE(error.find(what), std::string::npos) << row << ": " << error;
    EXPECT_EQ(error.substr(0, 12), "plan.tensors") << error;
  }
  const std::string other = ErrorOf(ReadPlanJson(
      model, needs, PlanWith(9, "", R"("model": {"operators": 4}, )")));
  EXPECT_NE(other.find("plan.model.operators: it is 4"), std::string::npos);
}

// TFLM makes from constants anew in each run what others keep.
TEST(ForeignPlanTest, TakesWhatTflmPutsIntoItsArenaForWrittenInEachRun) {
  TestGraph g;
  const TensorId w = g.Constant("w", {16}, DType::kFloat16);
  const TensorId f = g.Tensor("f", {16});
  const TensorId x = g.Tensor("x", {16});
  const TensorId s = g.Tensor("s", {16});
  const TensorId y = g.Tensor("y", {16});
  g.Add(OpKind::kDequantize, {w}, {f});
  g.Add(OpKind::kAdd, {x, f}, {s});
  g.Add(OpKind::kAveragePool2d, {s}, {y});
  g.SetBoundary({x}, {y});
  const auto plan = [](const std::string& engine) {
    std::string text = R"({"schema": "stowplan.plan/1", "engine": ")" + engine +
                       R"(", "tensors": [)";
    const int offsets[] = {0, 64, 128, 0};
    for (int t = 1; t <= 4; ++t) {
      text += std::string(t > 1 ? "," : "") +
              R"({"subgraph": 0, "kind": "arena", "bytes": 64, "tensor": )" +
              std::to_string(t) + R"(, "offset": )" +
              std::to_string(offsets[t - 1]) + "}";
    }
    return text + "]}";
  };
  const schedule::MemoryNeeds needs = NeedsOf(g.model());
  EXPECT_TRUE(IsSound(g.model(), ReadPlanJson(g.model(), needs, plan("tflm"))));
  // y lies where a value that is made once is to stay.
  EXPECT_FALSE(
      IsSound(g.model(), ReadPlanJson(g.model(), needs, plan("litert"))));
}

TEST(ForeignPlanTest, NotesOffsetsThatMissTheAlignment) {
  const graph::Model model = Chain();
  const auto layout =
      ReadPlanJson(model, NeedsOf(model),
                   PlanWith(9, "", R"("options": {"alignment": 128}, )"));
  ASSERT_TRUE(layout.has_value());
  ASSERT_EQ(layout->notes.size(), 1u);
  EXPECT_EQ(layout->notes[0].substr(0, 37),
            "1 offsets are no multiples of 128 (op");
}

TEST(ForeignPlanTest, ReadsMiniMallocsCsvAndPutsViewsWithTheirBuffer) {
  const graph::Model model = Chain();
  const auto needs = schedule::FindMemoryNeeds(model, {});
  ASSERT_TRUE(needs.has_value());
  const std::string good =
      "id,lower,upper,size,offset\nx,0,2,64,0\n2,1,3,64,64\ny,2,3,64,0\n";
  const auto layout = ReadMiniMallocPlan(model, *needs, good);
  EXPECT_TRUE(IsSound(model, layout));
  EXPECT_TRUE(layout->notes.empty());  // a lies with x.
  EXPECT_FALSE(
      IsSound(model, ReadMiniMallocPlan(model, *needs,
                                        "id,lower,upper,size,offset\nx,0,2,64,"
                                        "0\nb,1,3,64,0\ny,2,3,64,64\n")));
  EXPECT_NE(ErrorOf(ReadMiniMallocPlan(model, *needs,
                                       "id,lower,upper,size\nx,0,2,64\n"))
                .find("no offset"),
            std::string::npos);
}

TEST(ForeignPlanTest, ReadsTflmsOfflinePlan) {
  const graph::Model model = Chain();
  EXPECT_TRUE(IsSound(model, ReadOfflinePlan(model, NeedsOf(model),
                                             Words({0, 1, 4, 0, 0, 64, -1}))));
  EXPECT_FALSE(IsSound(model, ReadOfflinePlan(model, NeedsOf(model),
                                              Words({0, 1, 4, 0, 0, 0, -1}))));
  EXPECT_NE(
      ErrorOf(ReadOfflinePlan(model, NeedsOf(model), Words({0, 1, 3, 0, 0, 0})))
          .find("4 tensors"),
      std::string::npos);
  EXPECT_NE(ErrorOf(ReadOfflinePlan(model, NeedsOf(model),
                                    Words({0, 1, 4, -2, 0, 0, 0})))
                .find("negative"),
            std::string::npos);
}

}  // namespace
}  // namespace stowplan::engines
