// SPDX-License-Identifier: Apache-2.0
//
// Every graph among the shared cases and generated graphs is read, or refused
// with a sentence that says why it is no graph.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/graph/graph_json.h"
#include "tests/shared.h"

namespace stowplan::graph {
namespace {

std::vector<std::filesystem::path> Documents(const char* folder) {
  std::vector<std::filesystem::path> files;
  std::error_code absent;
  for (const auto& entry :
       std::filesystem::directory_iterator(SharedFolder() / folder, absent)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void ExpectStable(const Model& model, const std::filesystem::path& path) {
  const std::string text = WriteGraphJson(model);
  const Result<Model> again = ReadGraphJson(text);
  ASSERT_TRUE(again.has_value()) << path << again.error().ToString();
  EXPECT_EQ(WriteGraphJson(*again), text) << path;
}

TEST(GraphDocumentsTest, EveryCaseIsReadOrSaysThatItIsNoGraph) {
  const auto files = Documents("cases");
  if (files.empty()) GTEST_SKIP() << "no shared cases beside the project";
  int graphs = 0;
  for (const auto& path : files) {
    const Result<Model> model = ReadGraphJson(ReadWholeFile(path));
    if (model) {
      ++graphs;
      ExpectStable(*model, path);
      continue;
    }
    const std::string error = model.error().ToString();
    EXPECT_TRUE(error.find("describes no graph") != std::string::npos ||
                error.find("has no \"tensors\"") != std::string::npos)
        << path << ": " << error;
  }
  EXPECT_GE(graphs, 9);
}

TEST(GraphDocumentsTest, EveryGeneratedGraphIsRead) {
  const auto files = Documents("graphs");
  if (files.empty()) GTEST_SKIP() << "no shared graphs beside the project";
  for (const auto& path : files) {
    const Result<Model> model = ReadGraphJson(ReadWholeFile(path));
    ASSERT_TRUE(model.has_value()) << path << model.error().ToString();
    EXPECT_FALSE(model->subgraphs[0].inputs.empty()) << path;
    EXPECT_FALSE(model->subgraphs[0].outputs.empty()) << path;
    ExpectStable(*model, path);
  }
}

}  // namespace
}  // namespace stowplan::graph
