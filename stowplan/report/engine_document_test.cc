// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/engine_document.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "nlohmann/json.hpp"
#include "stowplan/engines/foreign_plan.h"
#include "stowplan/engines/litert.h"
#include "stowplan/engines/stowplan.h"
#include "stowplan/report/csv.h"
#include "stowplan/report/html.h"
#include "stowplan/report/json.h"
#include "stowplan/report/lines.h"
#include "stowplan/report/names.h"
#include "stowplan/report/sample_graphs.h"
#include "stowplan/report/svg.h"
#include "stowplan/report/text.h"
#include "stowplan/schedule/memory_needs.h"
#include "stowplan/solve/solve.h"

namespace stowplan::report {
namespace {

using engines::Layout;

// Everything that an EnginePlan points to.
struct Planned {
  graph::Model model;
  schedule::MemoryNeeds needs;
  Layout layout;
  engines::Replay replay;
  std::optional<engines::TflmPlan> tflm;

  EnginePlan plan() const {
    return {&model,
            &needs,
            &layout,
            &replay,
            tflm ? &*tflm : nullptr,
            engines::TflmOptions()};
  }
};

Planned PlannedBy(const std::string& engine, const graph::Model& model) {
  Planned planned;
  planned.model = model;
  planned.needs = *schedule::FindMemoryNeeds(model, {});
  if (engine == "litert") {
    planned.layout = *engines::PlanLiteRt(model);
  } else if (engine == "tflm") {
    planned.tflm = *engines::PlanTflm(model, {});
    planned.layout = planned.tflm->layout;
  } else {
    const auto outcome = solve::Solve(planned.needs.problem, {});
    planned.layout = engines::PlanStowplan(model, planned.needs, outcome->plan);
  }
  planned.replay = engines::ReplayPlan(model, planned.layout);
  return planned;
}

Document DocumentBy(const std::string& engine, const graph::Model& model) {
  const Planned planned = PlannedBy(engine, model);
  auto document = DescribeEngine(planned.plan(), {"sample.tflite", 1000, true});
  EXPECT_TRUE(document.has_value()) << document.error().ToString();
  return *std::move(document);
}

std::vector<EngineRow> RowsFor(const graph::Model& model) {
  std::vector<EngineRow> rows;
  for (const char* engine : {"stowplan", "litert", "tflm"}) {
    rows.push_back(*MakeEngineRow(PlannedBy(engine, model).plan()));
  }
  CompareEngines(&rows);
  return rows;
}

// Those that TFLM takes too: of known sizes.
std::vector<Sample> Samples() {
  return {WorkedExample(), Pyramid(), Branches(), BreadthFirst(),
          HostileNames()};
}

TEST(EngineDocument, TheFiguresOfEveryEngineAddUp) {
  for (const Sample& sample : Samples()) {
    for (const char* engine : {"litert", "tflm"}) {
      SCOPED_TRACE(sample.name + ", " + engine);
      const Document document = DocumentBy(engine, sample.model);
      EXPECT_EQ(document.engine, engine);
      EXPECT_LE(document.arena.lower_bound, document.arena.bytes);
      EXPECT_LE(document.arena.max_live_bytes, document.arena.lower_bound);
      EXPECT_LE(document.arena.bytes, document.arena.naive_bytes);
      Bytes live = 0;
      for (const PeakBuffer& buffer : document.peak.buffers) {
        live += buffer.bytes;
      }
      EXPECT_EQ(live, document.peak.bytes);
      Bytes arenas = 0;
      for (const ArenaRow& row : document.arenas) arenas += row.bytes;
      EXPECT_EQ(arenas, document.tflm ? 0 : document.arena.bytes);
      for (const BufferRow& buffer : document.buffers) {
        EXPECT_LE(*buffer.offset + buffer.bytes, document.arena.bytes);
      }
    }
  }
}

TEST(EngineDocument, ReasonsAddUpToTheArenaAndDifferencesToTheRest) {
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.name);
    const std::vector<EngineRow> rows = RowsFor(sample.model);
    for (const EngineRow& row : rows) {
      Bytes sum = 0;
      for (const ReasonRow& reason : row.reasons) sum += reason.bytes;
      EXPECT_EQ(sum, row.arena_bytes) << row.engine;
      Bytes difference = 0;
      for (const ReasonRow& reason : row.differences) {
        difference += reason.bytes;
      }
      EXPECT_EQ(difference, row.arena_bytes - rows[0].arena_bytes);
    }
  }
}

TEST(EngineDocument, ThePyramidTakesMoreInLiteRtSinceItsImageIsKept) {
  const std::vector<EngineRow> rows = RowsFor(Pyramid().model);
  EXPECT_EQ(rows[0].arena_bytes, 2867200);
  EXPECT_EQ(rows[1].arena_bytes, 3686400);
  ASSERT_EQ(rows[1].differences.size(), 1u);
  EXPECT_EQ(rows[1].differences[0].cause, "kept inputs");
  EXPECT_EQ(rows[1].differences[0].bytes, 819200);
}

TEST(EngineDocument, TflmsLeastArenaIsThatOfItsLargestPhase) {
  const Document document = DocumentBy("tflm", Pyramid().model);
  ASSERT_TRUE(document.tflm.has_value());
  Bytes most = 0;
  for (const PhaseRow& phase : document.tflm->phases) {
    most = std::max(most, phase.bytes);
  }
  EXPECT_EQ(document.tflm->least_arena_bytes, most);
  EXPECT_EQ(document.arena.bytes, document.tflm->head_bytes);
  Bytes tail = 0;
  for (const KeepRow& row : document.tflm->kept) {
    tail += row.region == "tail" ? row.bytes : 0;
  }
  EXPECT_EQ(tail, document.tflm->tail_bytes);
}

TEST(EngineDocument, ACalleesTensorsSayWhoseArenaTheyLieIn) {
  const Document document = DocumentBy("litert", Branches().model);
  EXPECT_GT(document.arenas.size(), 1u);
  for (const TensorRow& row : document.tensors) {
    EXPECT_EQ(row.arena.has_value(), row.kind == schedule::Kind::kArena ||
                                         row.kind == schedule::Kind::kScratch)
        << row.name;
  }
}

// What is read back is judged as what was written, and lies where it lay.
TEST(EngineDocument, ItsJsonIsAPlanThatTheJudgeReads) {
  for (const Sample& sample : Samples()) {
    for (const char* engine : {"litert", "tflm"}) {
      SCOPED_TRACE(sample.name + ", " + engine);
      const Planned planned = PlannedBy(engine, sample.model);
      const auto document = DescribeEngine(planned.plan(), {"a", 1, true});
      ASSERT_TRUE(document.has_value());
      const auto needs = schedule::FindMemoryNeeds(sample.model, {});
      ASSERT_TRUE(needs.has_value());
      const auto layout =
          engines::ReadPlanJson(sample.model, *needs, ToJson(*document));
      ASSERT_TRUE(layout.has_value()) << layout.error().ToString();
      const engines::Replay replay = engines::ReplayPlan(sample.model, *layout);
      EXPECT_EQ(replay.violations.size(), planned.replay.violations.size());
      EXPECT_EQ(replay.reads, planned.replay.reads);
      for (const engines::Piece& piece : layout->pieces) {
        if (!piece.tensor.tensor.valid()) continue;
        const auto at = planned.layout.piece_of[piece.tensor.subgraph.index()]
                                               [piece.tensor.tensor.index()];
        ASSERT_TRUE(at.has_value());
        EXPECT_EQ(piece.offset, planned.layout.pieces[*at].offset);
        EXPECT_EQ(
            layout->regions[piece.region].subgraph,
            planned.layout.regions[planned.layout.pieces[*at].region].subgraph);
      }
    }
  }
}

TEST(EngineDocument, EveryRendererShowsIt) {
  Document document = DocumentBy("litert", HostileNames().model);
  document.engines = RowsFor(HostileNames().model);
  document.engines.push_back({});
  document.engines.back().engine = "other";
  document.engines.back().error = "a size is not known";
  const auto json = nlohmann::json::parse(ToJson(document));
  EXPECT_EQ(json["engine"], "litert");
  ASSERT_EQ(json["engines"].size(), 4u);
  EXPECT_EQ(json["engines"][1]["sound"], true);
  EXPECT_EQ(json["engines"][3]["error"], "a size is not known");
  for (const std::string& text :
       {ToText(document), ToJson(document), ToCsv(document), ToLines(document),
        ToSvg(document), ToHtml(document)}) {
    EXPECT_EQ(ToUtf8(text), text);
  }
  EXPECT_NE(ToText(document).find("What the engines would take"),
            std::string::npos);
  EXPECT_EQ(ToHtml(document).find("<script>alert"), std::string::npos);
}

// To write it anew: STOWPLAN_UPDATE_GOLDENS=1; then read the diff.
TEST(EngineDocument, ThePyramidsTextIsTheRecordedOne) {
  Document document = DocumentBy("litert", Pyramid().model);
  document.engines = RowsFor(Pyramid().model);
  const std::string path =
      std::string(STOWPLAN_REPORT_TESTDATA) + "/pyramid_engines.txt";
  const std::string text = ToText(document);
  if (std::getenv("STOWPLAN_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream recorded;
  recorded << file.rdbuf();
  EXPECT_EQ(text, recorded.str());
}

}  // namespace
}  // namespace stowplan::report
