// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/tensor_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "stowplan/report/names.h"
#include "stowplan/report/shape_text.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

struct Column {
  std::string_view title;
  bool right;  // Numbers are aligned to the right.
};

constexpr std::array<Column, 11> kColumns = {{{"tensor", true},
                                              {"kind", false},
                                              {"type", false},
                                              {"shape", false},
                                              {"bytes", true},
                                              {"offset", true},
                                              {"live", true},
                                              {"shares", true},
                                              {"written by", false},
                                              {"last read by", false},
                                              {"name", false}}};
using Cells = std::array<std::string, kColumns.size()>;

bool IsShown(const TensorRow& row) {
  return row.kind != schedule::Kind::kMapped &&
         row.kind != schedule::Kind::kNone;
}

std::string Operator(const std::optional<int64_t>& index,
                     const std::string& type) {
  if (!index) return "-";
  return ToPrintable(std::to_string(*index) + (type.empty() ? "" : " ") + type);
}

Cells CellsOf(const TensorRow& row, bool subgraphs) {
  std::string tensor = row.tensor ? std::to_string(*row.tensor) : "-";
  if (subgraphs) tensor = std::to_string(row.subgraph) + ":" + tensor;
  const bool known = row.kind != schedule::Kind::kDynamic;
  std::string live = "-";
  if (row.begin && row.end) {
    live = "[" + std::to_string(*row.begin) + ", " + std::to_string(*row.end) +
           ")";
  }
  return {tensor,
          std::string(schedule::NameOf(row.kind)),
          row.dtype.empty() ? "-" : row.dtype,
          row.tensor ? ShapeText(row.shape) : "-",
          known ? Grouped(row.bytes) : "?",
          row.offset ? Grouped(*row.offset) : "-",
          live,
          row.alias_of ? "=" + std::to_string(*row.alias_of) : "-",
          row.owner ? std::to_string(*row.owner)
                    : Operator(row.producer, row.producer_type),
          row.owner ? "-" : Operator(row.last_reader, row.last_reader_type),
          ToPrintable(row.name)};
}

std::string LeftOut(const Document& document) {
  int64_t mapped = 0;
  int64_t unused = 0;
  for (const TensorRow& row : document.tensors) {
    mapped += row.kind == schedule::Kind::kMapped ? 1 : 0;
    unused += row.kind == schedule::Kind::kNone ? 1 : 0;
  }
  if (mapped + unused == 0) return "";
  std::string text = "left out:";
  if (mapped > 0) text += " " + Count(mapped, "constant") + " in the file";
  if (unused > 0) {
    text += std::string(mapped > 0 ? "," : "") + " " + Count(unused, "tensor") +
            " without bytes";
  }
  return text + "\n";
}

}  // namespace

std::string TensorTable(const Document& document) {
  Cells header;
  for (size_t c = 0; c < kColumns.size(); ++c) header[c] = kColumns[c].title;
  std::vector<Cells> lines = {header};
  for (const TensorRow& row : document.tensors) {
    if (IsShown(row)) lines.push_back(CellsOf(row, document.subgraphs > 1));
  }
  std::array<size_t, kColumns.size()> widths{};
  for (const Cells& line : lines) {
    for (size_t c = 0; c < kColumns.size(); ++c) {
      widths[c] = std::max(widths[c], LengthOf(line[c]));
    }
  }
  std::string text;
  for (const Cells& line : lines) {
    for (size_t c = 0; c < kColumns.size(); ++c) {
      const std::string fill(widths[c] - LengthOf(line[c]), ' ');
      if (c > 0) text += "  ";
      text += kColumns[c].right ? fill + line[c] : line[c];
      if (!kColumns[c].right && c + 1 < kColumns.size()) text += fill;
    }
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text + LeftOut(document);
}

}  // namespace stowplan::report
