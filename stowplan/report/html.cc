// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/html.h"

#include <string_view>
#include <utility>

#include "stowplan/report/engine_table.h"
#include "stowplan/report/html_style.h"
#include "stowplan/report/html_tables.h"
#include "stowplan/report/names.h"
#include "stowplan/report/sentences.h"
#include "stowplan/report/svg.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

// The path's last part.
std::string FileName(const std::string& path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos || slash + 1 == path.size()
             ? path
             : path.substr(slash + 1);
}

std::string_view ToneOf(solve::Verdict verdict) {
  switch (verdict) {
    case solve::Verdict::kOptimal:
      return "good";
    case solve::Verdict::kFeasible:
      return "warn";
    default:
      return "bad";
  }
}

class Page {
 public:
  explicit Page(const Document& document) : document_(document) {}

  std::string Write() && {
    Head();
    Headline();
    Put("<main>\n");
    Picture();
    Why();
    Tensors();
    Prices();
    Engines();
    Dynamic();
    Counting();
    Put("</main>\n");
    Put("<footer>Written by stowplan. The same figures, exact and for "
        "programs: <code>stowplan plan --json</code>.</footer>\n");
    Put("<script>");
    Put(kHtmlScript);
    Put("</script>\n</body>\n</html>\n");
    return std::move(text_);
  }

 private:
  void Put(std::string_view markup) { text_ += markup; }
  void Paragraph(std::string_view text, std::string_view style = "") {
    Put(style.empty() ? "<p>" : "<p class=\"" + std::string(style) + "\">");
    Put(ToXml(text) + "</p>\n");
  }
  void Section(std::string_view title, std::string_view id) {
    Put("<h2 id=\"" + std::string(id) + "\">" + std::string(title) + "</h2>\n");
  }

  void Head() {
    const std::string title = ToXml(FileName(document_.path));
    Put("<!doctype html>\n<html lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\">\n<meta name=\"generator\" "
        "content=\"stowplan\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>" +
        title + ": what it takes in memory</title>\n<style>");
    Put(kHtmlStyle);
    Put("</style>\n</head>\n<body>\n");
  }

  void Headline() {
    const Arena& arena = document_.arena;
    Put("<header>\n<div class=\"brand\">stowplan: memory of a model</div>\n");
    Put("<h1>" + ToXml(FileName(document_.path)) + " needs an arena of " +
        HumanBytes(arena.bytes) + "</h1>\n");
    std::string facts;
    if (document_.file_bytes > 0) {
      facts = "A file of " + BothBytes(document_.file_bytes) + " with ";
    }
    facts += Count(document_.subgraphs, "subgraph") + " and " +
             Count(document_.operators, "operator") + ".";
    if (arena.bytes > 0) {
      facts += " Its tensors and scratch add up to " +
               BothBytes(arena.naive_bytes) + "; " +
               BothBytes(arena.max_live_bytes) +
               " of them are alive at once, and all fit into an arena of " +
               BothBytes(arena.bytes) + ".";
    }
    Paragraph(facts, "facts");
    Paragraph(document_.advice.text, "advice");
    Cards();
    Put("</header>\n");
  }

  void Card(std::string_view title, Bytes bytes, const std::string& what) {
    Put("<div class=\"card\"><dt>" + std::string(title) +
        "</dt><dd><div class=\"big\">" + HumanBytes(bytes) +
        "</div><div class=\"what\">" + ToXml(what) + "</div></dd></div>\n");
  }

  void Cards() {
    const Arena& arena = document_.arena;
    Put("<dl class=\"cards\" aria-label=\"What it takes\">\n");
    Card("Arena", arena.bytes,
         ExactBytes(arena.bytes) +
             " for activations and scratch, during a "
             "run");
    Put("<div class=\"card\"><dt>Bound</dt><dd><div class=\"big\">" +
        HumanBytes(arena.lower_bound) + "</div><div class=\"what " +
        std::string(ToneOf(arena.verdict)) + "\">" +
        ToXml(VerdictText(document_)) + "</div></dd></div>\n");
    Card("Weights", document_.mapped_bytes,
         ExactBytes(document_.mapped_bytes) +
             (document_.mapped ? " of constants, read from the mapped file"
                               : " of constants, held in memory as a copy"));
    Card("Persistent", document_.persistent_bytes,
         ExactBytes(document_.persistent_bytes) + PersistentText(document_));
    const auto dynamic = static_cast<int64_t>(document_.dynamic.size());
    Put("<div class=\"card\"><dt>Dynamic</dt><dd><div class=\"big\">" +
        (dynamic == 0 ? "none" : Count(dynamic, "tensor")) +
        "</div><div class=\"what\">" +
        (dynamic == 0 ? "every size is known before the run"
                      : "of a size that only a run decides, on top") +
        "</div></dd></div>\n</dl>\n");
  }

  void Picture() {
    Section("Where everything lies", "layout");
    Paragraph(
        "Rest the pointer on a rectangle for its name, size, offset and "
        "steps.",
        "facts");
    Put("<div class=\"picture\" tabindex=\"0\">\n" + ToSvg(document_) +
        "</div>\n");
  }

  void Why() {
    const Peak& peak = document_.peak;
    Section("Why: the peak", "peak");
    if (peak.buffers.empty()) {
      Paragraph("Nothing is alive at any step.");
      return;
    }
    Paragraph("The most is alive when " + Describe(peak.op) +
              " runs, at step " + Grouped(peak.step) + " of " +
              Grouped(static_cast<int64_t>(document_.steps.size())) + ": " +
              BothBytes(peak.bytes) + ". These are the tensors that make it:");
    Put(PeakTable(document_));
    for (const CallRow& call : document_.calls) {
      Paragraph(CallText(call));
    }
  }

  void Tensors() {
    Section("Every tensor", "every-tensor");
    Put("<div class=\"tools js\"><label for=\"filter\">Filter</label>"
        "<input id=\"filter\" type=\"search\" placeholder=\"name, kind, "
        "operator\" autocomplete=\"off\"><output id=\"count\" "
        "for=\"filter\"></output></div>\n");
    Put(TensorTableHtml(document_));
    Put(ConstantsHtml(document_));
  }

  void Prices() {
    Section("What the rules cost", "rules");
    Paragraph("Planned with " + RulesText(document_.options) + ".");
    if (document_.prices.empty()) return;
    Paragraph(
        "One rule changed would move the lower bound of the arena so (no "
        "plan was made for it):",
        "facts");
    Put(PriceTable(document_));
    if (document_.refusals.empty()) return;
    Put("<details><summary>" +
        Count(static_cast<int64_t>(document_.refusals.size()), "overwrite") +
        " refused, since a value would be lost</summary>\n<ul>\n");
    for (const RefusalRow& row : document_.refusals) {
      Put("<li>" + ToXml(row.text) + "</li>\n");
    }
    Put("</ul></details>\n");
  }

  void Engines() {
    if (document_.tflm) {
      Section("What TFLM needs", "tflm");
      Paragraph(TflmText(*document_.tflm) + ".");
    }
    const auto& rows = document_.engines;
    if (rows.empty()) return;
    Section("What the engines would take", "engines");
    Paragraph(
        "In bytes, one rule after the other: what is alive at once, then "
        "what each engine's rules add to it.",
        "facts");
    Put(EngineTableHtml(document_));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i > 0 || !rows[i].error.empty()) {
        Paragraph(DifferenceText(rows[0], rows[i]) + ".");
      }
      if (rows[i].violations > 0) {
        Paragraph(rows[i].engine + " loses values: " + rows[i].first_violation,
                  "bad");
      }
      Reasons(rows.size() > 1 && rows[0].error.empty() ? rows[i].differences
                                                       : rows[i].reasons);
      Notes(rows[i]);
    }
  }

  void Notes(const EngineRow& row) {
    if (row.notes.empty()) return;
    Put("<details><summary>" +
        Count(static_cast<int64_t>(row.notes.size()), "note") + " on " +
        ToXml(row.engine) + "</summary>\n<ul>\n");
    for (const std::string& note : row.notes) {
      Put("<li>" + ToXml(note) + "</li>\n");
    }
    Put("</ul></details>\n");
  }

  void Reasons(const std::vector<ReasonRow>& reasons) {
    if (reasons.empty()) return;
    Put("<ul>\n");
    for (const ReasonRow& reason : reasons) {
      if (reason.bytes == 0) continue;
      Put("<li>" +
          ToXml(SignedBytes(reason.bytes) + ", " + reason.cause + ": " +
                reason.text) +
          "</li>\n");
    }
    Put("</ul>\n");
  }

  void Dynamic() {
    Section("What is dynamic, and why", "dynamic");
    if (document_.dynamic.empty()) {
      Paragraph("Nothing: every size is known before the run.");
    } else {
      Put(DynamicTable(document_));
    }
    for (const std::string& note : document_.notes) Paragraph(note, "facts");
  }

  void Counting() {
    Section("How the numbers count", "counting");
    Put("<dl class=\"terms\">\n"
        "<dt>arena</dt><dd>One block for all activations and scratch; its "
        "bytes mean something during a run only. Buffers are rounded up to "
        "the alignment.</dd>\n"
        "<dt>bound</dt><dd>The most that is alive at one step, rounded to "
        "the alignment. Every plan under the same rules and in the same "
        "order needs at least this much.</dd>\n"
        "<dt>live</dt><dd>From the step whose operator writes a tensor to "
        "the last that reads it, written [begin, end): end is the first "
        "step at which it is dead.</dd>\n"
        "<dt>live bytes</dt><dd>The sizes of what is alive, before "
        "rounding; tensors that share bytes count once.</dd>\n"
        "<dt>weights</dt><dd>Constants in the file; bytes that several "
        "tensors share count once. Mapped, they are clean pages that the "
        "system can drop and read again.</dd>\n"
        "<dt>persistent</dt><dd>Variables, and constants that are decoded "
        "once before the first run.</dd>\n"
        "<dt>not counted</dt><dd>What a runtime takes for itself: code, "
        "its own structures, weights that kernels repack, thread "
        "stacks.</dd>\n</dl>\n");
  }

  const Document& document_;
  std::string text_;
};

}  // namespace

std::string ToHtml(const Document& document) { return Page(document).Write(); }

}  // namespace stowplan::report
