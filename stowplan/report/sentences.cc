// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/sentences.h"

#include "stowplan/report/names.h"
#include "stowplan/report/units.h"

namespace stowplan::report {

std::string VerdictText(const Arena& arena) {
  switch (arena.verdict) {
    case solve::Verdict::kInfeasible:
      return "infeasible: no plan keeps the capacity and the pinned offsets; "
             "proved";
    case solve::Verdict::kUnknown:
      return "unknown: no plan within the capacity was found, and none was "
             "excluded";
    case solve::Verdict::kOptimal:
      if (arena.bytes == arena.lower_bound) {
        return "proved optimal: the arena is at the bound";
      }
      return "proved optimal, " + Grouped(arena.bytes - arena.lower_bound) +
             " bytes above the bound: a search excluded every smaller plan";
    case solve::Verdict::kFeasible:
      break;
  }
  const Bytes gap = arena.bytes - arena.proved_bound;
  return "not proved optimal: " + Grouped(gap) + " bytes, " +
         Percent(gap, arena.proved_bound) +
         ", above what is proved to be needed";
}

std::string VerdictText(const Document& document) {
  const Arena& arena = document.arena;
  if (document.engine == "stowplan") return VerdictText(arena);
  const Bytes gap = arena.bytes - arena.lower_bound;
  if (gap == 0) return "the arena is at the least that these live ranges need";
  return Grouped(gap) + " bytes, " + Percent(gap, arena.lower_bound) +
         ", above the least that these live ranges need";
}

std::string BoundText(const Document& document) {
  return document.engine == "stowplan"
             ? " at least under these rules"
             : " at least for " + document.engine + "'s live ranges";
}

std::string PersistentText(const Document& document) {
  return document.tflm ? " at the arena's upper end: variables, kernels' data, "
                         "TFLM's own structures"
                       : " that outlive a run: variables, constants decoded "
                         "once";
}

std::string RulesText(const Options& options) {
  constexpr size_t kNameLength = 60;
  std::string text = "inputs " + options.inputs + ", outputs " +
                     options.outputs + ", in-place " + options.in_place +
                     ", constants " + (options.fold_constants ? "" : "not ") +
                     "decoded once, order " + options.order + ", alignment " +
                     ExactBytes(options.alignment);
  for (size_t i = 0; i < options.keep.size(); ++i) {
    text += (i == 0 ? ", keep " : " ") + Shorten(options.keep[i], kNameLength);
  }
  return text;
}

std::string CallText(const CallRow& call) {
  return "At " + Describe(call.op) + " " + BothBytes(call.outer_bytes) +
         " of the caller stay live under at most " +
         BothBytes(call.inner_bytes) + " of the subgraphs it calls" +
         (call.callees.size() > 1
              ? "; those share bytes with each other, never with the caller."
              : ".");
}

}  // namespace stowplan::report
