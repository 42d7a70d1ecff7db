// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every rendering, whatever the document.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "stowplan/report/csv.h"
#include "stowplan/report/html.h"
#include "stowplan/report/json.h"
#include "stowplan/report/lines.h"
#include "stowplan/report/names.h"
#include "stowplan/report/sample_graphs.h"
#include "stowplan/report/svg.h"
#include "stowplan/report/text.h"

namespace stowplan::report {
namespace {

std::vector<Document> Documents() {
  std::vector<Document> documents;
  for (const Sample& sample : AllSamples()) {
    documents.push_back(DocumentOf(sample));
  }
  documents.push_back(DocumentOf(LongChain(400)));
  return documents;
}

// Why markup is not well-formed, or nothing: every element that is opened is
// closed, in order, and '&' starts a reference.
std::string FaultOf(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&' && xml.find(';', i) > i + 6) return "a bare '&'";
    if (xml[i] != '<') continue;
    const size_t end = xml.find('>', i);
    if (end == std::string::npos) return "an open '<'";
    const std::string tag = xml.substr(i + 1, end - i - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return tag;
    if (tag.find('<') != std::string::npos) return tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return "closed: " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    i = end;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

TEST(Render, JsonHasWhatTheContractNames) {
  for (const Document& document : Documents()) {
    SCOPED_TRACE(document.path);
    const auto json = nlohmann::json::parse(ToJson(document));
    EXPECT_EQ(json["schema"], "stowplan.plan/1");
    EXPECT_EQ(json["engine"], "stowplan");
    EXPECT_EQ(json["model"]["operators"], document.operators);
    for (const char* key :
         {"alignment", "inputs", "outputs", "in_place", "order", "solver"}) {
      EXPECT_TRUE(json["options"].contains(key)) << key;
    }
    EXPECT_EQ(json["arena"]["bytes"], document.arena.bytes);
    for (const char* key : {"lower_bound", "verdict", "naive_bytes",
                            "max_live_bytes", "alignment_waste"}) {
      EXPECT_TRUE(json["arena"].contains(key)) << key;
    }
    EXPECT_EQ(json["persistent"]["bytes"], document.persistent_bytes);
    EXPECT_EQ(json["mapped"]["bytes"], document.mapped_bytes);
    EXPECT_EQ(json["dynamic"].size(), document.dynamic.size());
    double shares = 0;
    for (const auto& buffer : json["peak"]["buffers"]) {
      shares += buffer["share"].get<double>();
    }
    if (document.peak.bytes > 0) {
      EXPECT_NEAR(shares, 1, 0.01);
    }
    ASSERT_EQ(json["tensors"].size(), document.tensors.size());
    for (size_t i = 0; i < document.tensors.size(); ++i) {
      const auto& row = json["tensors"][i];
      EXPECT_EQ(row["name"], document.tensors[i].name);
      EXPECT_EQ(row["bytes"], document.tensors[i].bytes);
      for (const char* key :
           {"subgraph", "tensor", "kind", "dtype", "shape", "offset", "begin",
            "end", "alias_of", "producer", "last_reader", "owner"}) {
        EXPECT_TRUE(row.contains(key)) << key;
      }
    }
  }
}

TEST(Render, SvgIsWellFormed) {
  for (const Document& document : Documents()) {
    EXPECT_EQ(FaultOf(ToSvg(document)), "") << document.path;
  }
}

TEST(Render, SvgDrawsEveryBufferOnce) {
  for (const Document& document : Documents()) {
    const std::string svg = ToSvg(document);
    size_t tips = 0;
    for (size_t at = svg.find(" at offset "); at != std::string::npos;
         at = svg.find(" at offset ", at + 1)) {
      ++tips;
    }
    EXPECT_EQ(tips, document.buffers.size()) << document.path;
  }
}

TEST(Render, ThePageNeedsNoOtherFileAndNoNetwork) {
  for (const Document& document : Documents()) {
    std::string html = ToHtml(document);
    const std::string xmlns = "xmlns=\"http://www.w3.org/2000/svg\"";
    const size_t at = html.find(xmlns);
    ASSERT_NE(at, std::string::npos);
    html.erase(at, xmlns.size());
    for (const char* part :
         {"http:", "https:", " src=", " href=", "@import", "url(", "<link"}) {
      EXPECT_EQ(html.find(part), std::string::npos) << part;
    }
  }
}

TEST(Render, NamesCannotBreakOutOfThePage) {
  const Document document = DocumentOf(HostileNames());
  const std::string html = ToHtml(document);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("My<Op>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&quot;1&quot;)"), std::string::npos);
}

TEST(Render, EverythingIsValidUtf8) {
  for (const Document& document : Documents()) {
    for (const std::string& text :
         {ToText(document), ToJson(document), ToCsv(document),
          ToLines(document), ToSvg(document), ToHtml(document)}) {
      EXPECT_EQ(ToUtf8(text), text);
    }
  }
}

TEST(Render, TextHasColourOnlyWhenAsked) {
  const Document document = DocumentOf(HostileNames());
  EXPECT_EQ(ToText(document).find('\x1b'), std::string::npos);
  EXPECT_NE(ToText(document, {.color = true}).find('\x1b'), std::string::npos);
}

TEST(Render, TextKeepsItsWidthBetweenWords) {
  const std::string text =
      ToText(DocumentOf(Pyramid()), {.table = false, .width = 80});
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 80u) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(Render, LinesEndWithTheTotal) {
  const std::string lines = ToLines(DocumentOf(Branches()));
  EXPECT_NE(lines.find("ArenaAlloc: tensor=1 size=32768 offset=0 subgraph=1"),
            std::string::npos);
  EXPECT_EQ(lines.substr(lines.rfind("Total")), "TotalArenaSize: 65600\n");
}

}  // namespace
}  // namespace stowplan::report
