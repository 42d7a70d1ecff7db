// SPDX-License-Identifier: Apache-2.0
//
// What engines do with the graphs of public reports, and why.
#include <filesystem>
#include <iostream>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowplan/engines/compare.h"
#include "stowplan/engines/foreign_plan.h"
#include "stowplan/engines/litert.h"
#include "stowplan/engines/replay.h"
#include "stowplan/graph/graph_json.h"
#include "stowplan/schedule/memory_needs.h"
#include "tests/model_files.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

using engines::Account;
using engines::Cause;
using engines::Layout;
using nlohmann::json;

graph::Model CaseModel(const std::filesystem::path& path) {
  const json document = json::parse(ReadWholeFile(path));
  auto model = graph::ReadGraphJson(document.at("graph").dump());
  EXPECT_TRUE(model.has_value()) << model.error().ToString();
  return model.value_or(graph::Model());
}

Account AccountOf(const graph::Model& model, const Layout& layout) {
  auto account = engines::ExplainArena(model, layout);
  EXPECT_TRUE(account.has_value());
  Bytes sum = 0;
  for (const engines::Reason& reason : account->reasons) {
    sum += reason.bytes;
    if (reason.bytes != 0) {
      std::cout << engines::NameOf(reason.cause) << ": " << reason.bytes << " ("
                << reason.text << ")\n";
    }
  }
  EXPECT_EQ(sum, account->arena);
  return *std::move(account);
}

Bytes BytesFor(const Account& account, Cause cause) {
  return account.reasons.at(static_cast<size_t>(cause)).bytes;
}

TEST(EngineCasesTest, LiteRtOverwritesTheMiddleOfAViewChain) {
  const auto path =
      SharedFolder() / "cases" / "03-view-chain-inplace-hazard.json";
  STOWPLAN_SKIP_WITHOUT(path);
  const graph::Model model = CaseModel(path);
  const auto layout = engines::PlanLiteRt(model);
  ASSERT_TRUE(layout.has_value());
  const auto replay = engines::ReplayPlan(model, *layout);
  ASSERT_EQ(replay.violations.size(), 1u);
  EXPECT_EQ(engines::Describe(model, replay.violations[0]),
            "operator 4 (ADD) reads tensor 2 (b) at step 4, but operator "
            "3 (MUL) has written tensor 5 (d) over bytes [4096, 8192)");
}

TEST(EngineCasesTest, LiteRtKeepsTheImageOfAPyramid) {
  const auto path = SharedFolder() / "cases" / "22-fpn-640.json";
  STOWPLAN_SKIP_WITHOUT(path);
  const graph::Model model = CaseModel(path);
  const auto layout = engines::PlanLiteRt(model);
  ASSERT_TRUE(layout.has_value());
  const Account account = AccountOf(model, *layout);
  EXPECT_EQ(account.arena, 3686400);
  EXPECT_EQ(BytesFor(account, Cause::kLiveTensors), 2867200);
  EXPECT_EQ(BytesFor(account, Cause::kKeptInputs), 819200);
}

TEST(EngineCasesTest, MostOfEdsrIsScratchInLiteRt) {
  const auto path =
      SharedFolder() / "models" / "mlperfmobile_edsr_f32b5_int8.tflite";
  STOWPLAN_SKIP_WITHOUT(path);
  const auto model = ModelOfFile(path);
  ASSERT_TRUE(model.has_value());
  const auto layout = engines::PlanLiteRt(*model);
  ASSERT_TRUE(layout.has_value());
  const Account account = AccountOf(*model, *layout);
  EXPECT_EQ(account.arena, 217209600);
  EXPECT_EQ(BytesFor(account, Cause::kLiveTensors), 66355200);
}

// The addresses that the real engine gave, as a foreign plan.
TEST(EngineCasesTest, RealAddressesAreSoundOnThePublicModels) {
  const auto folder = SharedFolder() / "goldens" / "litert" / "layouts";
  STOWPLAN_SKIP_WITHOUT(folder);
  size_t judged = 0;
  for (const auto& [name, path] : SharedModels()) {
    const auto golden = folder / (name + ".json");
    if (!std::filesystem::exists(golden)) continue;
    const auto model = ModelOfFile(path);
    ASSERT_TRUE(model.has_value()) << name;
    std::string list;
    const json document = json::parse(ReadWholeFile(golden));
    for (const json& row : document.at("heap")) {
      const size_t number = row.at(0);
      // The view of a scalar is a copy; its address says nothing.
      const auto& tensors = model->subgraphs[0].tensors;
      if (number < tensors.size() &&
          tensors[number].shape.value_or(graph::Shape()).empty()) {
        continue;
      }
      list += row.at(0).dump() + " " + row.at(1).dump() + " " +
              row.at(2).dump() + "\n";
    }
    if (list.empty()) continue;  // Nothing but scalars.
    const auto needs = schedule::FindMemoryNeeds(*model, {});
    ASSERT_TRUE(needs.has_value()) << name;
    const auto layout = engines::ReadAddressList(*model, *needs, list);
    ASSERT_TRUE(layout.has_value()) << name << layout.error().ToString();
    const auto replay = engines::ReplayPlan(*model, *layout);
    for (const auto& broken : replay.violations) {
      ADD_FAILURE() << name << ": " << engines::Describe(*model, broken);
    }
    ++judged;
  }
  std::cout << judged << " real layouts judged\n";
}

}  // namespace
}  // namespace stowplan
