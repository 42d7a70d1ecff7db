// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/problem_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace stowplan::plan {
namespace {

enum Column {
  kId,
  kLower,
  kUpper,
  kSize,
  kAlignment,
  kOffset,
  kGaps,
  kHint,
  kColumns
};

struct ColumnName {
  std::string_view name;
  Column column;
};

// `end` is handled apart, since it also changes the convention.
constexpr std::array<ColumnName, 13> kColumnNames = {{
    {"id", kId},
    {"buffer", kId},
    {"buffer_id", kId},
    {"lower", kLower},
    {"start", kLower},
    {"begin", kLower},
    {"upper", kUpper},
    {"end", kUpper},
    {"size", kSize},
    {"alignment", kAlignment},
    {"offset", kOffset},
    {"gaps", kGaps},
    {"hint", kHint},
}};

struct Header {
  std::vector<Column> columns;  // By position in a row.
  bool inclusive_end = false;
};

std::string Place(size_t line) { return "line " + std::to_string(line); }

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<Header> ParseHeader(std::string_view row) {
  Header header;
  std::array<bool, kColumns> seen = {};
  for (std::string_view field : Split(row, ',')) {
    const std::string_view name = Trim(field);
    const auto* found =
        std::find_if(kColumnNames.begin(), kColumnNames.end(),
                     [&](const ColumnName& c) { return c.name == name; });
    if (name.empty() || found == kColumnNames.end()) {
      return BadInput(Place(1), "unknown column '" + std::string(name) + "'",
                      "columns are id, lower, upper (or end), size, and "
                      "optionally alignment, offset, gaps, hint");
    }
    if (std::exchange(seen[found->column], true)) {
      return BadInput(Place(1), "column '" + std::string(name) +
                                    "' or a synonym of it stands twice");
    }
    if (name == "end") header.inclusive_end = true;
    header.columns.push_back(found->column);
  }
  constexpr std::array<std::string_view, 4> kRequired = {"id", "lower", "upper",
                                                         "size"};
  for (size_t i = 0; i < kRequired.size(); ++i) {
    if (!seen[i]) {
      return BadInput(Place(1),
                      "column '" + std::string(kRequired[i]) + "' is missing",
                      "the first line must name the columns");
    }
  }
  return header;
}

Result<Gap> ParseGap(std::string_view text, size_t line) {
  auto bad = [&] {
    return BadInput(Place(line), "gap '" + std::string(text) + "'",
                    "write lo-hi or lo-hi@wlo:whi");
  };
  const size_t at = text.find('@');
  const std::vector<std::string_view> steps = Split(text.substr(0, at), '-');
  if (steps.size() != 2) return bad();
  const auto lower = ParseInt(steps[0]);
  const auto upper = ParseInt(steps[1]);
  if (!lower || !upper) return bad();
  Gap gap = {{*lower, *upper}, std::nullopt};
  if (at == std::string_view::npos) return gap;
  const std::vector<std::string_view> bytes = Split(text.substr(at + 1), ':');
  if (bytes.size() != 2) return bad();
  const auto begin = ParseInt(bytes[0]);
  const auto end = ParseInt(bytes[1]);
  if (!begin || !end) return bad();
  gap.window = ByteRange{*begin, *end};
  return gap;
}

Status ParseField(Column column, std::string_view field, bool inclusive_end,
                  size_t line, Buffer* buffer, std::string* name) {
  if (column == kId) {
    *name = std::string(field);
    return {};
  }
  if (column == kHint) return {};
  if (column == kGaps) {
    for (std::string_view text : Split(field, ' ')) {
      if (text.empty()) continue;
      STOWPLAN_TRY(gap, ParseGap(text, line));
      buffer->gaps.push_back(gap);
    }
    return {};
  }
  if (field.empty() && (column == kOffset || column == kAlignment)) return {};
  const std::optional<int64_t> value = ParseInt(field);
  if (!value) {
    return BadInput(Place(line), "'" + std::string(field) + "' is no integer",
                    "use decimal numbers that fit in 64 bits");
  }
  switch (column) {
    case kLower:
      buffer->live.begin = *value;
      return {};
    case kUpper:
      if (inclusive_end && *value == std::numeric_limits<int64_t>::max()) {
        return BadInput(Place(line), "end is too large");
      }
      buffer->live.end =
          inclusive_end ? LiveRange::FromInclusive(0, *value).end : *value;
      return {};
    case kSize:
      buffer->size = *value;
      return {};
    case kAlignment:
      buffer->alignment = *value;
      return {};
    case kOffset:
      buffer->pinned = *value;
      return {};
    default:
      return {};
  }
}

std::string GapsField(const Buffer& buffer) {
  std::string text;
  for (const Gap& gap : buffer.gaps) {
    if (!text.empty()) text += ' ';
    text +=
        std::to_string(gap.range.begin) + '-' + std::to_string(gap.range.end);
    if (gap.window) {
      text += '@' + std::to_string(gap.window->begin) + ':' +
              std::to_string(gap.window->end);
    }
  }
  return text;
}

}  // namespace

Result<NamedProblem> ReadProblemCsv(std::string_view text,
                                    std::optional<Bytes> capacity) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // UTF-8 mark
  if (Trim(text).empty()) {
    return BadInput("line 1", "the file is empty",
                    "the first line must name the columns");
  }
  std::optional<Header> header;
  std::vector<Buffer> buffers;
  std::vector<std::string> names;
  size_t line = 0;
  while (!text.empty()) {
    const size_t at = text.find('\n');
    const std::string_view row = Trim(text.substr(0, at));
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    ++line;
    if (row.empty()) continue;
    if (!header) {
      STOWPLAN_TRY(parsed, ParseHeader(row));
      header = std::move(parsed);
      continue;
    }
    const std::vector<std::string_view> fields = Split(row, ',');
    if (fields.size() != header->columns.size()) {
      return BadInput(Place(line), std::to_string(fields.size()) +
                                       " fields where the header names " +
                                       std::to_string(header->columns.size()));
    }
    Buffer& buffer = buffers.emplace_back();
    std::string& name = names.emplace_back();
    for (size_t i = 0; i < fields.size(); ++i) {
      STOWPLAN_RETURN_IF_ERROR(ParseField(header->columns[i], Trim(fields[i]),
                                          header->inclusive_end, line, &buffer,
                                          &name));
    }
  }
  STOWPLAN_TRY(problem, Problem::Create(std::move(buffers), capacity));
  return NamedProblem{std::move(problem), std::move(names)};
}

std::string WriteProblemCsv(const NamedProblem& named, const Plan* plan) {
  const std::vector<Buffer>& buffers = named.problem.buffers();
  auto any = [&](auto uses) {
    return std::any_of(buffers.begin(), buffers.end(), uses);
  };
  const bool alignment = any([](const Buffer& b) { return b.alignment != 1; });
  const bool gaps = any([](const Buffer& b) { return !b.gaps.empty(); });
  const bool offset = plan != nullptr ||
                      any([](const Buffer& b) { return b.pinned.has_value(); });
  std::string text = "id,lower,upper,size";
  if (alignment) text += ",alignment";
  if (gaps) text += ",gaps";
  if (offset) text += ",offset";
  text += '\n';
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    text += named.names[i] + ',' + std::to_string(buffer.live.begin) + ',' +
            std::to_string(buffer.live.end) + ',' + std::to_string(buffer.size);
    if (alignment) text += ',' + std::to_string(buffer.alignment);
    if (gaps) text += ',' + GapsField(buffer);
    if (offset) {
      text += ',';
      if (plan != nullptr) {
        text += std::to_string(plan->offsets[i]);
      } else if (buffer.pinned) {
        text += std::to_string(*buffer.pinned);
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace stowplan::plan
