// SPDX-License-Identifier: Apache-2.0
//
// Graphs from public reports on arena memory, with computed answers. Their
// conventions: every tensor has bytes of its own, inputs are recycled, outputs
// stay to the end.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowplan/graph/graph_json.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/validate.h"
#include "stowplan/schedule/memory_needs.h"
#include "stowplan/solve/solve.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

using nlohmann::json;
using schedule::MemoryNeeds;

struct Case {
  json document;
  graph::Model model;
  MemoryNeeds needs;

  const json& expect() const { return document.at("expect"); }
};

schedule::Rules CaseRules(const json& graph) {
  schedule::Rules rules;
  rules.in_place = schedule::InPlace::kOff;
  rules.alignment = graph.value("alignment", 64);
  return rules;
}

Case FromGraph(json document, const json& graph, schedule::Rules rules) {
  Case result;
  result.document = std::move(document);
  auto model = graph::ReadGraphJson(graph.dump());
  EXPECT_TRUE(model.has_value()) << model.error().ToString();
  if (!model) return result;
  result.model = *std::move(model);
  auto needs = schedule::FindMemoryNeeds(result.model, rules);
  EXPECT_TRUE(needs.has_value()) << needs.error().ToString();
  if (needs) result.needs = *std::move(needs);
  return result;
}

json ReadCase(const std::filesystem::path& path) {
  return json::parse(ReadWholeFile(path), nullptr, false);
}

Bytes ArenaOf(const plan::Problem& problem, solve::Solver solver) {
  solve::Options options;
  options.solver = solver;
  const auto outcome = solve::Solve(problem, options);
  EXPECT_TRUE(outcome.has_value()) << outcome.error().ToString();
  if (!outcome) return -1;
  EXPECT_FALSE(plan::Validate(problem, outcome->plan).has_value());
  return outcome->peak;
}

// The names and the sum, not rounded, of what is alive at a step.
std::vector<std::string> LiveAt(const Case& c, plan::Step step, Bytes* bytes) {
  std::vector<std::string> names;
  *bytes = 0;
  for (size_t i = 0; i < c.needs.contents.size(); ++i) {
    if (!c.needs.problem.buffers()[i].live.Contains(step)) continue;
    *bytes += c.needs.contents[i].bytes;
    for (const graph::TensorRef& ref : c.needs.contents[i].tensors) {
      names.push_back(c.model.subgraph(ref.subgraph).tensor(ref.tensor).name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void ExpectPeak(const Case& c) {
  const json& expect = c.expect();
  const plan::Step step = plan::LowerBound(c.needs.problem).step;
  const graph::OperatorRef op =
      c.needs.timeline.steps.at(static_cast<size_t>(step)).op;
  EXPECT_EQ(c.model.subgraph(op.subgraph).operators[op.op.index()].name,
            expect.at("peak_op").get<std::string>());
  Bytes bytes = 0;
  std::vector<std::string> live = LiveAt(c, step, &bytes);
  auto wanted = expect.at("peak_live_set").get<std::vector<std::string>>();
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(live, wanted);
  EXPECT_EQ(bytes, expect.at("max_live_bytes").get<Bytes>());
}

void ExpectFigures(const Case& c) {
  const json& expect = c.expect();
  EXPECT_EQ(c.needs.max_live_bytes, expect.at("max_live_bytes").get<Bytes>());
  EXPECT_EQ(c.needs.naive_bytes, expect.at("sum_of_all_bytes").get<Bytes>());
  const auto per_op = expect.at("live_bytes_per_op").get<std::vector<Bytes>>();
  ASSERT_EQ(static_cast<size_t>(c.needs.timeline.end()), per_op.size());
  for (size_t i = 0; i < per_op.size(); ++i) {
    Bytes bytes = 0;
    LiveAt(c, static_cast<plan::Step>(i), &bytes);
    EXPECT_EQ(bytes, per_op[i]) << "operator " << i;
  }
  const plan::Problem& problem = c.needs.problem;
  EXPECT_EQ(ArenaOf(problem, solve::Solver::kPortfolio),
            expect.at("optimal_arena_bytes").get<Bytes>());
  EXPECT_EQ(ArenaOf(problem, solve::Solver::kGreedyBySize),
            expect.at("greedy_by_size_firstfit_bytes").get<Bytes>());
  EXPECT_EQ(ArenaOf(problem, solve::Solver::kGreedyBySizeBestFit),
            expect.at("greedy_by_size_bestfit_bytes").get<Bytes>());
  ExpectPeak(c);
}

class CasesTest : public testing::TestWithParam<const char*> {};

TEST_P(CasesTest, FiguresAreAsComputed) {
  const auto path =
      SharedFolder() / "cases" / (std::string(GetParam()) + ".json");
  STOWPLAN_SKIP_WITHOUT(path);
  json document = ReadCase(path);
  const json graph = document.at("graph");
  ExpectFigures(FromGraph(std::move(document), graph, CaseRules(graph)));
}

INSTANTIATE_TEST_SUITE_P(All, CasesTest,
                         testing::Values("01-leading-gap",
                                         "02-conv-pool-hotspot",
                                         "04-branch-order", "17-greedy-gap",
                                         "22-fpn-640"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return "Case" + name;
                         });

TEST(CaseTest, IfBranchesLieInTheCallersHoles) {
  const auto path = SharedFolder() / "cases" / "15-if-subgraphs.json";
  STOWPLAN_SKIP_WITHOUT(path);
  json document = ReadCase(path);
  const json graph = document.at("graph");
  const Case c = FromGraph(std::move(document), graph, CaseRules(graph));
  EXPECT_EQ(c.needs.max_live_bytes, c.expect().at("max_live_bytes"));
  // Under each branch lie what the caller keeps alive at the IF.
  Bytes then_bytes = 0, else_bytes = 0;
  for (const schedule::Visit& visit : c.needs.timeline.visits) {
    const std::string& name = c.model.subgraph(visit.subgraph).name;
    Bytes* most = name == "then" ? &then_bytes : &else_bytes;
    if (name != "then" && name != "else") continue;
    for (plan::Step s = visit.steps.begin; s < visit.steps.end; ++s) {
      Bytes bytes = 0;
      LiveAt(c, s, &bytes);
      *most = std::max(*most, bytes);
    }
  }
  const Bytes outer = c.expect().at("outer_live_at_IF_bytes");
  EXPECT_EQ(then_bytes - outer, c.expect().at("then_peak_bytes"));
  EXPECT_EQ(else_bytes - outer, c.expect().at("else_peak_bytes"));
}

TEST(CaseTest, OptimumMayLieAboveTheBound) {
  const auto path = SharedFolder() / "cases" / "17-greedy-gap.json";
  STOWPLAN_SKIP_WITHOUT(path);
  const json document = ReadCase(path);
  const json& second = document.at("expect").at("second_graph");
  const json& graph = second.at("graph");
  const Case c = FromGraph(document, graph, CaseRules(graph));
  EXPECT_EQ(plan::LowerBound(c.needs.problem).bytes,
            second.at("max_live_bytes"));
  const auto outcome = solve::Solve(c.needs.problem, {});
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->peak, second.at("optimal_arena_bytes"));
  EXPECT_EQ(outcome->verdict, solve::Verdict::kOptimal);
  EXPECT_EQ(outcome->lower_bound, outcome->peak);
  EXPECT_EQ(outcome->proof, solve::Proof::kSearch);
}

TEST(CaseTest, KeptInputHasItsPrice) {
  const auto path = SharedFolder() / "cases" / "22-fpn-640.json";
  STOWPLAN_SKIP_WITHOUT(path);
  json document = ReadCase(path);
  const json graph = document.at("graph");
  schedule::Rules rules = CaseRules(graph);
  rules.inputs = schedule::Io::kKeep;
  const Case c = FromGraph(std::move(document), graph, rules);
  EXPECT_EQ(ArenaOf(c.needs.problem, solve::Solver::kPortfolio),
            c.expect().at("if_input_kept_to_the_end_bytes"));
}

TEST(CaseTest, ViewChainSharesOnlyWhatIsLegal) {
  const auto path =
      SharedFolder() / "cases" / "03-view-chain-inplace-hazard.json";
  STOWPLAN_SKIP_WITHOUT(path);
  json document = ReadCase(path);
  const json graph = document.at("graph");
  const Case off = FromGraph(document, graph, CaseRules(graph));
  EXPECT_EQ(off.expect().at("optimal_arena_bytes"), 12288);
  schedule::Rules rules = CaseRules(graph);
  rules.in_place = schedule::InPlace::kSafe;
  const Case safe = FromGraph(std::move(document), graph, rules);
  EXPECT_EQ(ArenaOf(safe.needs.problem, solve::Solver::kPortfolio),
            safe.expect().at("optimal_with_legal_in_place_bytes"));
}

// Inputs and outputs apart, as the published naive sums have it.
Bytes SumOfIntermediates(const graph::Model& model, const MemoryNeeds& needs) {
  Bytes sum = needs.naive_bytes;
  const graph::Subgraph& main = model.subgraphs[0];
  for (const auto* ends : {&main.inputs, &main.outputs}) {
    for (graph::TensorId id : *ends) {
      const plan::BufferId buffer = needs.buffer_of[0][id.index()];
      sum -= needs.problem.buffer(buffer).size;
    }
  }
  return sum;
}

// Published figures for known networks, in MiB.
struct Network {
  const char* file;
  double naive;  // 0: not published.
  double bound;
};

class NetworksTest : public testing::TestWithParam<Network> {};

TEST_P(NetworksTest, FiguresAreAsPublished) {
  const auto path =
      SharedFolder() / "graphs" / (std::string(GetParam().file) + ".json");
  STOWPLAN_SKIP_WITHOUT(path);
  auto model = graph::ReadGraphJson(ReadWholeFile(path));
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  const auto needs =
      schedule::FindMemoryNeeds(*model, {.in_place = schedule::InPlace::kOff});
  ASSERT_TRUE(needs.has_value());
  constexpr double kMiB = 1 << 20;
  constexpr double kDigit = 0.001;  // Three decimals, some rounded, some cut.
  if (GetParam().naive > 0) {
    EXPECT_NEAR(static_cast<double>(SumOfIntermediates(*model, *needs)) / kMiB,
                GetParam().naive, kDigit);
  }
  EXPECT_NEAR(
      static_cast<double>(plan::LowerBound(needs->problem).bytes) / kMiB,
      GetParam().bound, kDigit);
}

INSTANTIATE_TEST_SUITE_P(
    All, NetworksTest,
    testing::Values(Network{"mobilenet_v1_1.0_224_f32", 19.248, 4.594},
                    Network{"mobilenet_v2_1.0_224_f32", 26.313, 5.742},
                    Network{"posenet_mnv1_075_353x257_f32", 28.556, 6.271},
                    Network{"inception_v3_299_f32", 0, 7.913}),
    [](const auto& param) { return "Network" + std::to_string(param.index); });

}  // namespace
}  // namespace stowplan
