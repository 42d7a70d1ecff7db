// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "stowplan/engines/compare.h"
#include "stowplan/report/engine_document.h"
#include "stowplan/report/names.h"

namespace stowplan::report {
namespace {

using engines::Layout;
using engines::Region;

std::vector<ReasonRow> RowsOf(const std::vector<engines::Reason>& reasons) {
  std::vector<ReasonRow> rows;
  for (const engines::Reason& reason : reasons) {
    rows.push_back({std::string(engines::NameOf(reason.cause)), reason.bytes,
                    ToUtf8(reason.text)});
  }
  return rows;
}

}  // namespace

Result<EngineRow> MakeEngineRow(const EnginePlan& plan) {
  const Layout& layout = *plan.layout;
  STOWPLAN_TRY(account, engines::ExplainArena(*plan.model, layout));
  EngineRow row;
  row.engine = layout.engine;
  row.arena_bytes = account.arena;
  row.persistent_bytes = BytesOf(layout, Region::Kind::kPersistent);
  row.heap_bytes = BytesOf(layout, Region::Kind::kHeap);
  if (plan.tflm != nullptr) {
    // TFLM takes whole multiples of the alignment, the last buffer's too.
    const Bytes rounding = plan.tflm->head_bytes - account.arena;
    account.reasons[static_cast<size_t>(engines::Cause::kAlignment)].bytes +=
        rounding;
    row.arena_bytes = plan.tflm->head_bytes;
    row.persistent_bytes = plan.tflm->tail_bytes;
    row.least_arena_bytes = plan.tflm->least_arena_bytes;
  }
  row.reasons = RowsOf(account.reasons);
  row.violations = static_cast<int64_t>(plan.replay->violations.size());
  if (row.violations > 0) {
    row.first_violation =
        ToUtf8(engines::Describe(*plan.model, plan.replay->violations[0]));
  }
  for (const std::string& note : layout.notes) {
    row.notes.push_back(ToUtf8(note));
  }
  return row;
}

void CompareEngines(std::vector<EngineRow>* rows) {
  if (rows->empty() || !rows->front().error.empty()) return;
  const EngineRow& base = rows->front();
  for (size_t r = 1; r < rows->size(); ++r) {
    EngineRow& row = (*rows)[r];
    for (size_t i = 0; i < row.reasons.size(); ++i) {
      const ReasonRow& mine = row.reasons[i];
      const ReasonRow& other = base.reasons[i];
      const Bytes bytes = mine.bytes - other.bytes;
      if (bytes == 0) continue;
      const bool tells = std::abs(mine.bytes) >= std::abs(other.bytes);
      row.differences.push_back(
          {mine.cause, bytes,
           tells ? mine.text : base.engine + ": " + other.text});
    }
    std::stable_sort(row.differences.begin(), row.differences.end(),
                     [](const ReasonRow& a, const ReasonRow& b) {
                       return std::abs(a.bytes) > std::abs(b.bytes);
                     });
  }
}

}  // namespace stowplan::report
