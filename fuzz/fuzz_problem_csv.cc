// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a problem CSV: they are read or refused, never worse; what was
// read is written and read back the same, and can be packed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stowplan/plan/problem_csv.h"
#include "stowplan/solve/solve.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stowplan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<plan::NamedProblem> read = plan::ReadProblemCsv(text);
  if (!read) {
    Require(!read.error().what.empty());
    return 0;
  }
  const Result<plan::NamedProblem> again =
      plan::ReadProblemCsv(plan::WriteProblemCsv(*read));
  Require(again.has_value());
  Require(again->problem.buffers() == read->problem.buffers());

  solve::Options options;
  options.effort = 100;
  const Result<solve::Outcome> outcome = solve::Solve(read->problem, options);
  Require(outcome.has_value());
  Require(outcome->verdict != solve::Verdict::kUnknown);
  return 0;
}
