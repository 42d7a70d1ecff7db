// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/foreign_file.h"

#include <algorithm>
#include <string_view>

#include "stowplan/engines/foreign_plan.h"

namespace stowplan::cli {
namespace {

// The first line that is no comment; empty if there is none.
std::string_view FirstLine(std::string_view text) {
  while (true) {
    const size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string_view::npos) return {};
    text.remove_prefix(first);
    const size_t end = text.find('\n');
    if (text[0] != '#') return text.substr(0, end);
    text.remove_prefix(std::min(end, text.size()));
  }
}

tl::unexpected<Error> NotUnderstood(const char* what) {
  return BadInput(
      "", what,
      "give a document of `plan --json`, MiniMalloc's CSV with id, lower, "
      "upper, size and offset, lines TENSOR ADDRESS BYTES, or the content of "
      "an OfflineMemoryAllocation entry");
}

// A document begins with a brace, a table with its header, and a list of
// addresses with a number; what holds a zero byte is the metadata entry's
// content. Errors: kBadInput saying what the text looks like.
Result<std::string_view> GuessFormat(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "tflm";
  const std::string_view head = FirstLine(text);
  if (head.empty()) return NotUnderstood("it is empty");
  if (head[0] == '{') return "json";
  if (head[0] == '[') return NotUnderstood("it looks like a JSON list");
  if (head.starts_with("subgraph,tensor,")) {
    return NotUnderstood("it looks like the table of `plan --format csv`");
  }
  if (head.starts_with("ArenaAlloc:") || head.starts_with("TotalArenaSize:")) {
    return NotUnderstood("it looks like the lines of `plan --format lines`");
  }
  if (head[0] >= '0' && head[0] <= '9') return "addresses";
  if (head.find("lower") != std::string_view::npos ||
      head.find("offset") != std::string_view::npos) {
    return "csv";
  }
  return NotUnderstood(head.find(',') != std::string_view::npos
                           ? "it looks like a CSV without offsets"
                           : "it looks like no plan");
}

Result<engines::Layout> ReadAs(std::string_view format, const InputFile& file,
                               const LoadedModel& loaded,
                               const schedule::MemoryNeeds& needs) {
  if (format == "auto") {
    STOWPLAN_TRY(guess, GuessFormat(file.text()));
    format = guess;
  }
  if (format == "json") {
    return engines::ReadPlanJson(loaded.model, needs, file.text());
  }
  if (format == "csv") {
    return engines::ReadMiniMallocPlan(loaded.model, needs, file.text());
  }
  if (format == "tflm") {
    return engines::ReadOfflinePlan(loaded.model, needs, file.bytes);
  }
  return engines::ReadAddressList(loaded.model, needs, file.text());
}

}  // namespace

Result<engines::Layout> ReadForeignPlan(const std::string& path,
                                        const std::string& format,
                                        const LoadedModel& loaded,
                                        const schedule::MemoryNeeds& needs) {
  if (path == "metadata") {
    if (loaded.offline_plan.empty()) {
      return BadInput("metadata OfflineMemoryAllocation",
                      "the model's file has no such entry",
                      "give the plan's file instead");
    }
    return engines::ReadOfflinePlan(loaded.model, needs, loaded.offline_plan);
  }
  STOWPLAN_TRY(file, ReadInput(path));
  Result<engines::Layout> layout = ReadAs(format, file, loaded, needs);
  if (!layout) {
    Error error = layout.error();
    error.where = path + (error.where.empty() ? "" : ": " + error.where);
    return tl::unexpected(std::move(error));
  }
  return layout;
}

}  // namespace stowplan::cli
