// SPDX-License-Identifier: Apache-2.0
//
// Every renderer on every sample against the files in testdata/. To write
// them anew: STOWPLAN_UPDATE_GOLDENS=1 ctest -R Golden; then read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "stowplan/report/csv.h"
#include "stowplan/report/html.h"
#include "stowplan/report/json.h"
#include "stowplan/report/lines.h"
#include "stowplan/report/sample_graphs.h"
#include "stowplan/report/svg.h"
#include "stowplan/report/text.h"

namespace stowplan::report {
namespace {

struct Renderer {
  std::string extension;
  std::function<std::string(const Document&)> render;
};

const std::vector<Renderer>& Renderers() {
  static const std::vector<Renderer> kRenderers = {
      {"txt", [](const Document& d) { return ToText(d); }},
      {"json", [](const Document& d) { return ToJson(d); }},
      {"csv", [](const Document& d) { return ToCsv(d); }},
      {"svg", [](const Document& d) { return ToSvg(d); }},
      {"html", [](const Document& d) { return ToHtml(d); }},
      {"lines", [](const Document& d) { return ToLines(d); }},
  };
  return kRenderers;
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Golden : public testing::TestWithParam<size_t> {};

TEST_P(Golden, EveryRendererWritesTheRecordedText) {
  const Sample sample = AllSamples()[GetParam()];
  const Document document = DocumentOf(sample);
  for (const Renderer& renderer : Renderers()) {
    const std::string path = std::string(STOWPLAN_REPORT_TESTDATA) + "/" +
                             sample.name + "." + renderer.extension;
    const std::string text = renderer.render(document);
    if (std::getenv("STOWPLAN_UPDATE_GOLDENS") != nullptr) {
      std::ofstream(path, std::ios::binary) << text;
    }
    EXPECT_EQ(text, Read(path)) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Golden,
                         testing::Range(size_t{0}, AllSamples().size()),
                         [](const auto& each) {
                           return AllSamples()[each.param].name;
                         });

}  // namespace
}  // namespace stowplan::report
