// SPDX-License-Identifier: Apache-2.0
//
// The model of TFLM against what the real one did: every offset of its plans,
// and the least arena, to the byte.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/engines/replay.h"
#include "stowplan/engines/tflm.h"
#include "stowplan/model/import.h"
#include "stowplan/tflite/model_view.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

using Row = std::map<std::string, std::string>;

// One line of a CSV file whose fields may be quoted.
std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back().push_back(c);
    }
  }
  return fields;
}

std::vector<Row> ReadCsv(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = Fields(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = Fields(line);
    Row row;
    for (size_t i = 0; i < std::min(names.size(), fields.size()); ++i) {
      row[names[i]] = fields[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Bytes Number(const Row& row, const std::string& name) {
  return std::stoll(row.at(name));
}

std::filesystem::path Goldens() { return SharedFolder() / "goldens" / "tflm"; }

std::optional<graph::Model> ReadModel(const std::string& name) {
  for (const char* folder : {"", "unit", "generated"}) {
    const auto path = SharedFolder() / "models" / folder / (name + ".tflite");
    if (!std::filesystem::exists(path)) continue;
    const auto content =
        std::make_shared<const std::string>(ReadWholeFile(path));
    auto view = tflite::ModelView::Open(
        std::as_bytes(std::span(content->data(), content->size())));
    if (!view) return std::nullopt;
    auto model = model::Import(*view, content);
    if (!model) return std::nullopt;
    return *std::move(model);
  }
  return std::nullopt;
}

engines::TflmOptions AsTheWheel() {
  engines::TflmOptions options;
  options.pointer_bytes = 8;
  options.build = engines::TflmBuild::kWheel;
  return options;
}

// The lines of a plan as the goldens have them.
std::vector<std::vector<Bytes>> LinesOf(const engines::TflmPlan& plan) {
  std::vector<std::vector<Bytes>> lines;
  for (const engines::TflmBuffer& buffer : plan.buffers) {
    const bool scratch = !buffer.tensor.tensor.valid();
    lines.push_back(
        {scratch ? buffer.op.subgraph.value() : buffer.tensor.subgraph.value(),
         scratch ? -1 : buffer.tensor.tensor.value(),
         scratch ? buffer.op.op.value() : -1, buffer.bytes, buffer.first,
         buffer.last, buffer.offset});
  }
  return lines;
}

std::vector<std::vector<Bytes>> LinesOf(const std::vector<Row>& rows) {
  std::vector<std::vector<Bytes>> lines;
  for (const Row& row : rows) {
    if (row.at("kind") == "variable") continue;
    const bool scratch = row.at("kind") == "scratch";
    lines.push_back({Number(row, "subgraph"),
                     scratch ? -1 : Number(row, "index"), Number(row, "node"),
                     Number(row, "bytes"), Number(row, "first"),
                     Number(row, "last"), Number(row, "offset")});
  }
  return lines;
}

// The variables in the tail: subgraph, tensor, size, and the offset from the
// arena's end.
std::vector<std::vector<Bytes>> VariablesOf(const engines::TflmPlan& plan) {
  std::vector<std::vector<Bytes>> lines;
  for (const engines::Piece& piece : plan.layout.pieces) {
    const auto& region = plan.layout.regions[piece.region];
    if (region.kind != engines::Region::Kind::kTail) continue;
    if (!piece.tensor.tensor.valid()) continue;
    lines.push_back({piece.tensor.subgraph.value(), piece.tensor.tensor.value(),
                     piece.bytes, *piece.offset - plan.tail_bytes});
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::vector<Bytes>> VariablesOf(const std::vector<Row>& rows) {
  std::vector<std::vector<Bytes>> lines;
  for (const Row& row : rows) {
    if (row.at("kind") != "variable") continue;
    lines.push_back({Number(row, "subgraph"), Number(row, "index"),
                     Number(row, "bytes"), Number(row, "offset")});
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string TextOf(const std::vector<Bytes>& line) {
  std::string text;
  for (Bytes value : line) text += " " + std::to_string(value);
  return text;
}

// Where the first difference is, or nothing.
std::string DifferenceOf(const std::vector<std::vector<Bytes>>& ours,
                         const std::vector<std::vector<Bytes>>& theirs) {
  for (size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    if (ours[i] == theirs[i]) continue;
    return "line " + std::to_string(i) + ": ours" + TextOf(ours[i]) +
           ", theirs" + TextOf(theirs[i]);
  }
  if (ours.size() == theirs.size()) return "";
  return std::to_string(ours.size()) + " lines, theirs " +
         std::to_string(theirs.size());
}

// Files that differ, with the cause.
const std::map<std::string, std::string>& Exceptions() {
  static const std::map<std::string, std::string> exceptions = {
      {"add_shared_tensors",
       "not imported: its first operator writes the tensor that it reads"}};
  return exceptions;
}

struct Tally {
  int files = 0;
  int equal = 0;

  double share() const {
    return static_cast<double>(equal) / std::max(files, 1);
  }
};

// The plan of that model, or nothing if it is an exception.
std::optional<engines::TflmPlan> PlanOf(const std::string& name) {
  const auto model = ReadModel(name);
  if (!model) {
    EXPECT_TRUE(Exceptions().contains(name)) << "not imported";
    return std::nullopt;
  }
  auto plan = engines::PlanTflm(*model, AsTheWheel());
  EXPECT_TRUE(plan.has_value()) << plan.error().ToString();
  if (!plan) return std::nullopt;
  return *std::move(plan);
}

TEST(TflmGoldenTest, EveryOffsetIsTheRealOne) {
  const auto folder = Goldens() / "layouts";
  STOWPLAN_SKIP_WITHOUT(folder);
  Tally tally;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    ++tally.files;
    const auto plan = PlanOf(name);
    if (!plan) continue;
    const std::vector<Row> rows = ReadCsv(entry.path());
    const std::string difference = DifferenceOf(LinesOf(*plan), LinesOf(rows));
    EXPECT_EQ(difference, "");
    EXPECT_EQ(VariablesOf(*plan), VariablesOf(rows));
    if (difference.empty()) ++tally.equal;
  }
  RecordProperty("equal", tally.equal);
  RecordProperty("files", tally.files);
  EXPECT_GE(tally.files, 67);
  EXPECT_GE(tally.share(), 0.95);
}

TEST(TflmGoldenTest, TheLeastArenaIsTheRealOneAndNeverLess) {
  const auto table = Goldens() / "table.csv";
  STOWPLAN_SKIP_WITHOUT(table);
  Tally tally;
  for (const Row& row : ReadCsv(table)) {
    if (row.at("initialises") != "yes") continue;
    const std::string& name = row.at("model");
    SCOPED_TRACE(name);
    ++tally.files;
    const auto plan = PlanOf(name);
    if (!plan) continue;
    const Bytes least = Number(row, "least_construct_bytes");
    EXPECT_GE(plan->least_arena_bytes, least);
    EXPECT_EQ(plan->least_arena_bytes, least);
    EXPECT_EQ(plan->head_bytes, Number(row, "head_bytes"));
    EXPECT_EQ(plan->tail_bytes, Number(row, "tail_bytes"));
    if (plan->least_arena_bytes == least) ++tally.equal;
    EXPECT_TRUE(plan->without_kernel.empty());
  }
  RecordProperty("equal", tally.equal);
  RecordProperty("files", tally.files);
  EXPECT_GE(tally.files, 67);
  EXPECT_GE(tally.share(), 0.80);
}

// Whatever else it does, TFLM lays no live value on another.
TEST(TflmGoldenTest, TheJudgeFindsNoFaultInItsPlans) {
  const auto folder = Goldens() / "layouts";
  STOWPLAN_SKIP_WITHOUT(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const auto model = ReadModel(name);
    if (!model) continue;
    const auto plan = engines::PlanTflm(*model, AsTheWheel());
    ASSERT_TRUE(plan.has_value());
    const engines::Replay replay = engines::ReplayPlan(*model, plan->layout);
    EXPECT_GT(replay.reads + model->subgraphs[0].operators.empty(), 0U);
    for (const engines::BrokenRead& broken : replay.violations) {
      ADD_FAILURE() << Describe(*model, broken);
    }
  }
}

// A device keeps the same buffers at the same places, and needs less.
TEST(TflmGoldenTest, ADeviceNeedsLessForTheSamePlan) {
  const auto folder = Goldens() / "layouts";
  STOWPLAN_SKIP_WITHOUT(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const auto model = ReadModel(name);
    if (!model) continue;
    const auto host = engines::PlanTflm(*model, AsTheWheel());
    const auto device = engines::PlanTflm(*model, {});
    ASSERT_TRUE(host.has_value() && device.has_value());
    EXPECT_LT(device->least_arena_bytes, host->least_arena_bytes);
    EXPECT_LT(device->tail_bytes, host->tail_bytes);
    EXPECT_EQ(LinesOf(*device), LinesOf(*host));
  }
}

TEST(TflmGoldenTest, OperatorsThatTheRealOneDoesNotKnowAreNamed) {
  const auto table = Goldens() / "table.csv";
  STOWPLAN_SKIP_WITHOUT(table);
  const std::string before = "Didn't find op for builtin opcode '";
  int named = 0;
  for (const Row& row : ReadCsv(table)) {
    const std::string& error = row.at("error");
    const size_t begin = error.find(before);
    if (begin == std::string::npos) continue;
    SCOPED_TRACE(row.at("model"));
    const size_t name = begin + before.size();
    const std::string missing =
        error.substr(name, error.find('\'', name) - name);
    const auto model = ReadModel(row.at("model"));
    if (!model) continue;
    // Other reasons may stop it first.
    const auto plan = engines::PlanTflm(*model, AsTheWheel());
    if (!plan) continue;
    EXPECT_TRUE(std::count(plan->without_kernel.begin(),
                           plan->without_kernel.end(), missing) == 1)
        << missing;
    ++named;
  }
  EXPECT_GE(named, 8);
}

}  // namespace
}  // namespace stowplan
