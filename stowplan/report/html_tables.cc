// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/html_tables.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "stowplan/report/engine_table.h"
#include "stowplan/report/names.h"
#include "stowplan/report/shape_text.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

using schedule::Kind;

struct Head {
  std::string_view title;
  std::string_view style;  // "r" for numbers.
};

class Table {
 public:
  // `style` is "tall" or "small".
  Table(std::string_view style, std::string_view id, std::string_view label,
        std::span<const Head> heads) {
    text_ = "<div class=\"scroll " + std::string(style) +
            "\" tabindex=\"0\"><table";
    if (!id.empty()) text_ += " id=\"" + std::string(id) + "\"";
    text_ += " aria-label=\"" + std::string(label) + "\"><thead><tr>";
    for (const Head& head : heads) {
      text_ += "<th scope=\"col\"";
      if (!head.style.empty()) {
        text_ += " class=\"" + std::string(head.style) + "\"";
      }
      text_ += ">" + std::string(head.title) + "</th>";
    }
    text_ += "</tr></thead>\n<tbody>\n";
  }

  Table(std::string_view style, std::string_view id, std::string_view label,
        std::initializer_list<Head> heads)
      : Table(style, id, label, std::span(heads.begin(), heads.size())) {}

  void BeginRow(std::string_view style = "") {
    text_ +=
        style.empty() ? "<tr>" : "<tr class=\"" + std::string(style) + "\">";
  }
  void EndRow() { text_ += "</tr>\n"; }

  // Cut where it has no room; whole as a tip, for filters and to copy.
  void Name(std::string_view name, std::string_view style = "name") {
    const std::string markup = ToXml(name);
    text_ += "<td class=\"" + std::string(style) + "\" title=\"" + markup +
             "\">" + markup + "</td>";
  }
  void Text(std::string_view text, std::string_view style = "") {
    text_ +=
        style.empty() ? "<td>" : "<td class=\"" + std::string(style) + "\">";
    text_ += ToXml(text);
    text_ += "</td>";
  }
  // A number as people read it; `value` is what it sorts by.
  void Number(std::string_view text, std::optional<int64_t> value) {
    text_ += "<td class=\"r\" data-v=\"";
    if (value) text_ += std::to_string(*value);
    text_ += "\">" + std::string(text) + "</td>";
  }
  void Number(std::optional<int64_t> value) {
    Number(value ? Grouped(*value) : "", value);
  }
  void Markup(std::string_view markup) {
    text_ += "<td>" + std::string(markup) + "</td>";
  }

  std::string Take() && {
    return std::move(text_) + "</tbody></table></div>\n";
  }

 private:
  std::string text_;
};

std::string Operator(const std::optional<int64_t>& index,
                     const std::string& type) {
  if (!index) return "";
  return std::to_string(*index) + (type.empty() ? "" : " ") + type;
}

bool AtPeak(const Document& document, const TensorRow& row) {
  return row.buffer &&
         document.buffers[static_cast<size_t>(*row.buffer)].at_peak;
}

std::string IndexOf(const Document& document, const TensorRow& row) {
  if (!row.tensor) return "";
  const std::string index = std::to_string(*row.tensor);
  return document.subgraphs > 1 ? std::to_string(row.subgraph) + ":" + index
                                : index;
}

void AddTensor(const Document& document, const TensorRow& row, Table* table) {
  table->BeginRow(AtPeak(document, row) ? "peak" : "");
  table->Number(IndexOf(document, row),
                row.tensor ? std::optional(row.subgraph * (int64_t{1} << 32) +
                                           *row.tensor)
                           : std::nullopt);
  table->Name(row.name);
  table->Text(schedule::NameOf(row.kind));
  table->Text(row.dtype);
  table->Text(row.tensor ? ShapeText(row.shape) : "");
  if (row.kind == Kind::kDynamic) {
    table->Number("?", std::nullopt);
  } else {
    table->Number(row.bytes);
  }
  table->Number(row.offset);
  table->Number(row.begin && row.end ? "[" + std::to_string(*row.begin) + ", " +
                                           std::to_string(*row.end) + ")"
                                     : "",
                row.begin);
  table->Number(row.alias_of ? "tensor " + std::to_string(*row.alias_of) : "",
                row.alias_of);
  table->Name(row.owner ? std::to_string(*row.owner)
                        : Operator(row.producer, row.producer_type),
              "op");
  table->Name(Operator(row.last_reader, row.last_reader_type), "op");
  table->EndRow();
}

}  // namespace

std::string PeakTable(const Document& document) {
  Table table("tall", "", "Alive at the peak",
              {{"share", "r"},
               {"", ""},
               {"bytes", "r"},
               {"tensor", ""},
               {"shape", ""},
               {"type", ""},
               {"live", "r"},
               {"role", ""}});
  for (const PeakBuffer& buffer : document.peak.buffers) {
    const TensorRow& row = document.tensors[buffer.row];
    const BufferRow& place = document.buffers[buffer.buffer];
    table.BeginRow();
    table.Number(Percent(buffer.bytes, document.peak.bytes), buffer.bytes);
    const int64_t width = Scale(buffer.bytes, 16000, document.peak.bytes);
    table.Markup("<span class=\"share\" style=\"width:" +
                 FromHundredths(width) + "px\"></span>");
    table.Number(BothBytes(buffer.bytes), buffer.bytes);
    table.Name(DisplayName(row));
    table.Text(row.tensor ? ShapeText(row.shape) : "");
    table.Text(row.dtype);
    table.Number("[" + std::to_string(place.live.begin) + ", " +
                     std::to_string(place.live.end) + ")",
                 place.live.begin);
    table.Text(buffer.used ? "used by the peak's operator"
                           : "waits for a later operator");
    table.EndRow();
  }
  return std::move(table).Take();
}

std::string TensorTableHtml(const Document& document) {
  Table table("tall", "tensors", "Tensors and scratch",
              {{"#", "r"},
               {"name", ""},
               {"kind", ""},
               {"type", ""},
               {"shape", ""},
               {"bytes", "r"},
               {"offset", "r"},
               {"live", "r"},
               {"shares with", "r"},
               {"written by", ""},
               {"last read by", ""}});
  for (const TensorRow& row : document.tensors) {
    if (row.kind == Kind::kMapped || row.kind == Kind::kNone) continue;
    AddTensor(document, row, &table);
  }
  return std::move(table).Take();
}

std::string ConstantsHtml(const Document& document) {
  int64_t count = 0;
  Table table("tall", "", "Constants and tensors without bytes",
              {{"#", "r"},
               {"name", ""},
               {"kind", ""},
               {"type", ""},
               {"shape", ""},
               {"bytes", "r"},
               {"last read by", ""}});
  for (const TensorRow& row : document.tensors) {
    if (row.kind != Kind::kMapped && row.kind != Kind::kNone) continue;
    ++count;
    table.BeginRow();
    table.Number(IndexOf(document, row), row.tensor);
    table.Name(row.name);
    table.Text(schedule::NameOf(row.kind));
    table.Text(row.dtype);
    table.Text(ShapeText(row.shape));
    table.Number(row.bytes);
    table.Text(Operator(row.last_reader, row.last_reader_type));
    table.EndRow();
  }
  if (count == 0) return "";
  return "<details><summary>" + Count(count, "tensor") +
         " without a place in the arena: constants in the file, and those "
         "that need no bytes</summary>\n" +
         std::move(table).Take() + "</details>\n";
}

std::string PriceTable(const Document& document) {
  Table table("small", "", "Prices of the rules",
              {{"instead", ""},
               {"bound would be", "r"},
               {"arena", "r"},
               {"persistent", "r"}});
  for (const Price& price : document.prices) {
    table.BeginRow();
    table.Markup("<code>" + ToXml(price.option) + "</code>");
    table.Number(BothBytes(price.lower_bound), price.lower_bound);
    table.Number(SignedBytes(price.arena_difference), price.arena_difference);
    table.Number(SignedBytes(price.persistent_difference),
                 price.persistent_difference);
    table.EndRow();
  }
  return std::move(table).Take();
}

std::string DynamicTable(const Document& document) {
  Table table("tall", "", "Dynamic tensors",
              {{"#", "r"}, {"name", ""}, {"because", ""}});
  for (const DynamicRow& row : document.dynamic) {
    table.BeginRow();
    table.Number(
        (document.subgraphs > 1 ? std::to_string(row.subgraph) + ":" : "") +
            std::to_string(row.tensor),
        row.tensor);
    table.Name(row.name);
    table.Text(row.because, "wide");
    table.EndRow();
  }
  return std::move(table).Take();
}

std::string EngineTableHtml(const Document& document) {
  const EngineTable engines = MakeEngineTable(document);
  std::vector<Head> heads;
  for (const std::string& head : engines.heads) {
    heads.push_back({head, heads.empty() ? "" : "r"});
  }
  Table table("small", "", "The engines side by side", heads);
  for (const auto& line : engines.lines) {
    table.BeginRow();
    for (size_t c = 0; c < line.size(); ++c) {
      table.Text(line[c], c == 0 ? "" : "r");
    }
    table.EndRow();
  }
  return std::move(table).Take();
}

}  // namespace stowplan::report
