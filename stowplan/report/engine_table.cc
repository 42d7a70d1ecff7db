// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/engine_table.h"

#include <algorithm>
#include <functional>

#include "stowplan/report/names.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

using CellOf = std::function<std::string(const EngineRow&)>;

class Builder {
 public:
  explicit Builder(const Document& document) : rows_(document.engines) {}

  EngineTable Build() && {
    table_.heads.emplace_back();
    for (const EngineRow& row : rows_) table_.heads.push_back(row.engine);
    AddCauses();
    Add("arena", [](const EngineRow& row) { return Grouped(row.arena_bytes); });
    Add("persistent",
        [](const EngineRow& row) { return Grouped(row.persistent_bytes); });
    AddOthers();
    Add("sound", [](const EngineRow& row) {
      return row.violations == 0 ? std::string("yes")
                                 : "no: " + Count(row.violations, "violation");
    });
    return std::move(table_);
  }

 private:
  void Add(const std::string& title, const CellOf& cell) {
    std::vector<std::string> line = {title};
    for (const EngineRow& row : rows_) {
      line.push_back(row.error.empty() ? cell(row) : "-");
    }
    table_.lines.push_back(std::move(line));
  }

  // The causes are the same for all, in the same order.
  void AddCauses() {
    const auto some =
        std::find_if(rows_.begin(), rows_.end(),
                     [](const EngineRow& row) { return row.error.empty(); });
    if (some == rows_.end()) return;
    for (size_t i = 0; i < some->reasons.size(); ++i) {
      const bool counts =
          std::any_of(rows_.begin(), rows_.end(), [i](const EngineRow& row) {
            return row.error.empty() && row.reasons[i].bytes != 0;
          });
      if (!counts) continue;
      Add(some->reasons[i].cause,
          [i](const EngineRow& row) { return Grouped(row.reasons[i].bytes); });
    }
  }

  void AddOthers() {
    const auto any = [this](const auto& has) {
      return std::any_of(rows_.begin(), rows_.end(), has);
    };
    if (any([](const EngineRow& row) { return row.heap_bytes > 0; })) {
      Add("heap", [](const EngineRow& row) { return Grouped(row.heap_bytes); });
    }
    if (any([](const EngineRow& row) {
          return row.least_arena_bytes.has_value();
        })) {
      Add("least arena", [](const EngineRow& row) {
        return row.least_arena_bytes ? Grouped(*row.least_arena_bytes)
                                     : std::string("-");
      });
    }
  }

  const std::vector<EngineRow>& rows_;
  EngineTable table_;
};

}  // namespace

EngineTable MakeEngineTable(const Document& document) {
  return Builder(document).Build();
}

std::string ToText(const EngineTable& table) {
  std::vector<std::vector<std::string>> lines = {table.heads};
  lines.insert(lines.end(), table.lines.begin(), table.lines.end());
  std::vector<size_t> widths(table.heads.size(), 0);
  for (const auto& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], LengthOf(line[c]));
    }
  }
  std::string text;
  for (const auto& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) {
      const std::string fill(widths[c] - LengthOf(line[c]), ' ');
      text += c == 0 ? line[c] + fill : "  " + fill + line[c];
    }
    text += '\n';
  }
  return text;
}

std::string DifferenceText(const EngineRow& base, const EngineRow& row) {
  if (!row.error.empty()) return row.engine + " has no plan: " + row.error;
  if (!base.error.empty()) return row.engine + ":";
  const Bytes bytes = row.arena_bytes - base.arena_bytes;
  if (bytes == 0) return row.engine + " takes as much as " + base.engine;
  return row.engine + " takes " + BothBytes(bytes > 0 ? bytes : -bytes) +
         (bytes > 0 ? " more" : " less") + " than " + base.engine;
}

std::string TflmText(const TflmFigures& figures) {
  std::string text = BothBytes(figures.least_arena_bytes) +
                     " is the least arena in which TFLM works (pointers of " +
                     Count(figures.pointer_bytes, "byte") + ", " +
                     figures.build + " build). By phase: ";
  for (size_t i = 0; i < figures.phases.size(); ++i) {
    if (i > 0) text += ", ";
    text += figures.phases[i].name + " " + Grouped(figures.phases[i].bytes);
  }
  return text + "; head " + Grouped(figures.head_bytes) + ", tail " +
         Grouped(figures.tail_bytes);
}

}  // namespace stowplan::report
