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
    const auto path =
        SharedFolder() / "models" / folder / (name + ".tflite");
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
    lines.push_back({scratch ? buffer.op.subgraph.value()
                             : buffer.tensor.subgraph.value(),
                     scratch ? -1 : buffer.tensor.tensor.value(),
                     scratch ? buffer.op.op.value() : -1, buffer.bytes,
                     buffer.first, buffer.last, buffer.offset});
  }
  return lines;
}

std::vector<std::vector<Bytes>> LinesOf(const std::vector<Row>& rows) {
  std::vector<std::vector<Bytes>> lines;
  for (const Row& row : rows) {
    if (row.at("kind") == "variable") continue;
    const bool scratch = row.at("kind") == "scratch";
    lines.push_back({Number(row, "subgraph"),
                     scratch ? -1 : Number(row, "index"),
                     Number(row, "node"), Number(row, "bytes"),
                     Number(row, "first"), Number(row, "last"),
                     Number(row, "offset")});
  }
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

TEST(TflmGoldenTest, EveryOffsetIsTheRealOne) {
  const auto folder = Goldens() / "layouts";
  STOWPLAN_SKIP_WITHOUT(folder);
  int files = 0, equal = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const auto model = ReadModel(name);
    if (!model) { printf("%s: not imported\n", name.c_str()); ++files; continue; }
    const auto plan = engines::PlanTflm(*model, AsTheWheel());
    ASSERT_TRUE(plan.has_value()) << plan.error().ToString();
    const std::string difference =
        DifferenceOf(LinesOf(*plan), LinesOf(ReadCsv(entry.path())));
    ++files;
    if (difference.empty()) ++equal;
    else printf("%s: %s\n", name.c_str(), difference.c_str());
  }
  printf("%d of %d equal\n", equal, files);
}

TEST(TflmGoldenTest, TheLeastArenaIsTheRealOne) {
  const auto table = Goldens() / "table.csv";
  STOWPLAN_SKIP_WITHOUT(table);
  int files = 0, equal = 0;
  for (const Row& row : ReadCsv(table)) {
    if (row.at("initialises") != "yes") continue;
    const std::string& name = row.at("model");
    SCOPED_TRACE(name);
    const auto model = ReadModel(name);
    if (!model) { printf("%s: not imported\n", name.c_str()); ++files; continue; }
    const auto plan = engines::PlanTflm(*model, AsTheWheel());
    ASSERT_TRUE(plan.has_value()) << plan.error().ToString();
    ++files;
    const std::string t = row.at("least_construct_bytes");
    if (std::to_string(plan->least_arena_bytes) == t && plan->head_bytes == Number(row, "head_bytes") && plan->tail_bytes == Number(row, "tail_bytes")) ++equal;
    else printf("%s: least %lld (%s) head %lld (%s) tail %lld (%s)\n", name.c_str(), (long long)plan->least_arena_bytes, t.c_str(), (long long)plan->head_bytes, row.at("head_bytes").c_str(), (long long)plan->tail_bytes, row.at("tail_bytes").c_str());
  }
  printf("%d of %d equal\n", equal, files);
}

}  // namespace
}  // namespace stowplan
