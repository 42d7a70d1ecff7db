// SPDX-License-Identifier: Apache-2.0
//
// The CSV of MiniMalloc (Moffitt, ASPLOS 2023), read and written.
//
//   id,lower,upper,size[,alignment][,offset][,gaps]
//
// A header row names the columns, in any order. `upper` is exclusive; a
// column named `end` instead is inclusive. Synonyms: `buffer`, `buffer_id`
// for `id`; `start`, `begin` for `lower`. `offset` pins the buffer (empty:
// free). `gaps` holds space-separated `lo-hi` (half-open steps at which the
// buffer is not in use) or `lo-hi@wlo:whi` (only those of its bytes are).
// `hint` is accepted and ignored, as MiniMalloc does. Lines end in LF or CRLF.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"

namespace stowplan::plan {

struct NamedProblem {
  Problem problem;
  std::vector<std::string> names;  // The `id` column, by BufferId.
};

// Errors: kBadInput naming the line and the column. `capacity` is handed to
// Problem::Create. O(text).
Result<NamedProblem> ReadProblemCsv(
    std::string_view text, std::optional<Bytes> capacity = std::nullopt);

// The CSV with LF line ends; optional columns only where some buffer uses
// them. With a plan, `offset` holds its offsets, so that a reader sees the
// solution (MiniMalloc's own output format), not the pins.
// REQUIRES: one name per buffer; names without commas and line ends.
std::string WriteProblemCsv(const NamedProblem& named,
                            const Plan* plan = nullptr);

}  // namespace stowplan::plan
