// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/foreign_file.h"

#include <string_view>

#include "stowplan/engines/foreign_plan.h"

namespace stowplan::cli {
namespace {

// A document begins with a brace, a table with its header, and a list of
// addresses is text; the rest is what the metadata entry holds.
std::string_view GuessFormat(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "tflm";
  const size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string_view::npos && text[first] == '{') return "json";
  const std::string_view head = text.substr(0, text.find('\n'));
  return head.find("lower") != std::string_view::npos ? "csv" : "addresses";
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
    return engines::ReadOfflinePlan(loaded.model, loaded.offline_plan);
  }
  STOWPLAN_TRY(file, ReadInput(path));
  const std::string_view kind =
      format == "auto" ? GuessFormat(file.text()) : std::string_view(format);
  Result<engines::Layout> layout =
      kind == "json" ? engines::ReadPlanJson(loaded.model, file.text())
      : kind == "csv"
          ? engines::ReadMiniMallocPlan(loaded.model, needs, file.text())
      : kind == "tflm" ? engines::ReadOfflinePlan(loaded.model, file.bytes)
                       : engines::ReadAddressList(loaded.model, file.text());
  if (!layout) {
    Error error = layout.error();
    error.where = path + (error.where.empty() ? "" : ": " + error.where);
    return tl::unexpected(std::move(error));
  }
  return layout;
}

}  // namespace stowplan::cli
