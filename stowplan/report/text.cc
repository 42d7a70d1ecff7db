// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "stowplan/report/engine_table.h"
#include "stowplan/report/names.h"
#include "stowplan/report/sentences.h"
#include "stowplan/report/tensor_table.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

constexpr size_t kLabelWidth = 12;
constexpr size_t kMostPeakBuffers = 6;
constexpr size_t kMostDynamic = 3;
constexpr size_t kMostCalls = 3;
constexpr size_t kMostNotes = 4;
constexpr size_t kNameLength = 60;

std::string_view ColorOf(const Document& document) {
  switch (document.arena.verdict) {
    case solve::Verdict::kOptimal:
      return "\x1b[32m";  // Green.
    case solve::Verdict::kFeasible:
      return "\x1b[33m";  // Yellow.
    default:
      return "\x1b[31m";  // Red.
  }
}

class Summary {
 public:
  Summary(const Document& document, const TextOptions& options)
      : document_(document), options_(options) {}

  std::string Write() && {
    AddFile();
    AddMemory();
    AddVerdict();
    AddPeak();
    AddRules();
    Add("advice", document_.advice.text, "\x1b[1m");
    AddNotes("", document_.notes);
    AddCalls();
    AddEngines();
    return std::move(text_);
  }

 private:
  // A label (its spaces are kept) and its text, broken between words.
  void Add(std::string_view label, std::string_view text,
           std::string_view color = "") {
    std::string start(label);
    start.resize(std::max(start.size() + 1, kLabelWidth + 1), ' ');
    text_ += Paint(start, "\x1b[2m");
    std::string line;
    const std::string clean = ToPrintable(text);
    std::string_view rest = clean;
    const size_t room = std::max<size_t>(options_.width, 40) - kLabelWidth - 1;
    while (!rest.empty()) {
      const size_t space = rest.find(' ');
      const std::string_view word = rest.substr(0, space);
      rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
      if (!line.empty() && LengthOf(line) + 1 + LengthOf(word) > room) {
        text_ += Paint(line, color) + "\n" + std::string(kLabelWidth + 1, ' ');
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    text_ += Paint(line, color) + "\n";
  }

  std::string Paint(std::string_view text, std::string_view color) const {
    if (!options_.color || color.empty()) return std::string(text);
    return std::string(color) + std::string(text) + "\x1b[0m";
  }

  void AddFile() {
    std::string text = document_.path + ": ";
    if (document_.file_bytes > 0)
      text += BothBytes(document_.file_bytes) + ", ";
    Add("file", text + Count(document_.subgraphs, "subgraph") + ", " +
                    Count(document_.operators, "operator"));
    if (document_.mapped_bytes == 0) {
      Add("weights", "none: no constants in the file");
      return;
    }
    Add("weights",
        BothBytes(document_.mapped_bytes) +
            (document_.mapped ? " of constants, read from the mapped file"
                              : " of constants, held in memory as a copy"));
  }

  void AddMemory() {
    const Arena& arena = document_.arena;
    std::string text =
        BothBytes(arena.bytes) + " for activations and scratch during a run";
    if (arena.bytes > 0) {
      text += "; without sharing they take " + BothBytes(arena.naive_bytes);
    }
    Add("arena", text, "\x1b[1m");
    Add("persistent",
        BothBytes(document_.persistent_bytes) + PersistentText(document_));
    if (document_.tflm) {
      Add("least arena", TflmText(*document_.tflm), "\x1b[1m");
    }
    Add("dynamic", DynamicText());
  }

  std::string DynamicText() const {
    const auto& dynamic = document_.dynamic;
    if (dynamic.empty()) return "none: every size is known before the run";
    std::string text = Count(static_cast<int64_t>(dynamic.size()), "tensor") +
                       " of a size that only a run decides: ";
    for (size_t i = 0; i < std::min(dynamic.size(), kMostDynamic); ++i) {
      if (i > 0) text += "; ";
      const std::string& name = dynamic[i].name;
      text += name.empty() ? "tensor " + std::to_string(dynamic[i].tensor)
                           : Shorten(name, kNameLength);
      text += ", " + dynamic[i].because;
    }
    if (dynamic.size() > kMostDynamic) {
      text += "; and " +
              Grouped(static_cast<int64_t>(dynamic.size() - kMostDynamic)) +
              " more";
    }
    return text;
  }

  void AddVerdict() {
    const Arena& arena = document_.arena;
    std::string text = BothBytes(arena.lower_bound) + BoundText(document_);
    if (arena.bytes > 0) {
      text += ": " + BothBytes(arena.max_live_bytes) + " live at once";
      if (arena.alignment_waste > 0) {
        text += ", " + BothBytes(arena.alignment_waste) + " for alignment";
      }
    }
    Add("bound", text);
    Add("verdict", VerdictText(document_), ColorOf(document_));
  }

  void AddPeak() {
    const Peak& peak = document_.peak;
    if (peak.buffers.empty()) return;
    Add("peak", Describe(peak.op) + " at step " + Grouped(peak.step) + " of " +
                    Grouped(static_cast<int64_t>(document_.steps.size())) +
                    ": " + BothBytes(peak.bytes) + " live");
    const size_t shown = std::min(peak.buffers.size(), kMostPeakBuffers);
    for (size_t i = 0; i < shown; ++i) AddPeakBuffer(peak.buffers[i]);
    if (peak.buffers.size() > shown) {
      Bytes rest = 0;
      for (size_t i = shown; i < peak.buffers.size(); ++i) {
        rest += peak.buffers[i].bytes;
      }
      Add(AtRight(Percent(rest, peak.bytes)),
          Grouped(static_cast<int64_t>(peak.buffers.size() - shown)) +
              " more, " + BothBytes(rest));
    }
  }

  void AddPeakBuffer(const PeakBuffer& buffer) {
    const TensorRow& row = document_.tensors[buffer.row];
    std::string text =
        Shorten(DisplayName(row), kNameLength) + ", " + BothBytes(buffer.bytes);
    const size_t members = document_.buffers[buffer.buffer].rows.size();
    if (members > 1) {
      text += ", shared by " + Count(static_cast<int64_t>(members), "tensor");
    }
    if (!buffer.used) text += ", waits for a later operator";
    Add(AtRight(Percent(buffer.bytes, document_.peak.bytes)), text);
  }

  // At the right end of the label's column.
  static std::string AtRight(const std::string& percent) {
    const size_t fill = kLabelWidth - std::min(kLabelWidth, percent.size());
    return std::string(fill, ' ') + percent;
  }

  void AddRules() {
    Add("rules", RulesText(document_.options));
    std::string changed;
    for (const Price& price : document_.prices) {
      if (price.arena_difference == 0 && price.persistent_difference == 0) {
        continue;
      }
      if (!changed.empty()) changed += "; ";
      changed += price.option + " " + SignedBytes(price.arena_difference);
      if (price.persistent_difference != 0) {
        changed += ", persistent " + SignedBytes(price.persistent_difference);
      }
    }
    if (document_.prices.empty()) return;
    Add("prices", changed.empty()
                      ? "no other rule changes the bound"
                      : "of the bound under another rule: " + changed);
  }

  void AddCalls() {
    const size_t shown = std::min(document_.calls.size(), kMostCalls);
    for (size_t i = 0; i < shown; ++i) {
      Add("note", CallText(document_.calls[i]));
    }
    if (document_.calls.size() > shown) {
      Add("note", Count(static_cast<int64_t>(document_.calls.size() - shown),
                        "more operator") +
                      " with calls: see --json");
    }
  }

  void AddNotes(const std::string& who, const std::vector<std::string>& notes) {
    const size_t shown = std::min(notes.size(), kMostNotes);
    for (size_t i = 0; i < shown; ++i) Add("note", who + notes[i]);
    if (notes.size() > shown) {
      Add("note",
          who + Count(static_cast<int64_t>(notes.size() - shown), "more note") +
              ": see --json");
    }
  }

  void AddEngines() {
    const auto& rows = document_.engines;
    if (rows.empty()) return;
    text_ += std::string("\nWhat the ") +
             (rows.size() == 1 ? "engine takes" : "engines would take") +
             ", in bytes, one rule after the other:\n\n" +
             ToText(MakeEngineTable(document_)) + "\n";
    for (size_t i = 0; i < rows.size(); ++i) {
      const EngineRow& row = rows[i];
      if (i > 0 || !row.error.empty()) {
        Add("difference", DifferenceText(rows[0], row));
      }
      const auto& reasons = rows.size() > 1 && rows[0].error.empty()
                                ? row.differences
                                : row.reasons;
      for (const ReasonRow& reason : reasons) {
        if (reason.bytes == 0) continue;
        Add(AtRight((reason.bytes > 0 ? "+" : "") + Grouped(reason.bytes)),
            reason.cause + ": " + reason.text);
      }
      if (row.violations > 0) {
        Add("unsound", row.engine + ": " + row.first_violation, "\x1b[31m");
      }
      if (row.engine == document_.engine) continue;
      AddNotes(row.engine + ": ", row.notes);
    }
  }

  const Document& document_;
  const TextOptions& options_;
  std::string text_;
};

}  // namespace

std::string ToText(const Document& document, const TextOptions& options) {
  std::string text = Summary(document, options).Write();
  if (options.table) text += "\n" + TensorTable(document);
  return text;
}

}  // namespace stowplan::report
