// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/outcome.h"

namespace stowplan::solve {

std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOptimal:
      return "optimal";
    case Verdict::kFeasible:
      return "feasible";
    case Verdict::kInfeasible:
      return "infeasible";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view ToString(Proof proof) {
  switch (proof) {
    case Proof::kLoad:
      return "load";
    case Proof::kSearch:
      return "search";
    case Proof::kPins:
      return "pins";
  }
  return "load";
}

}  // namespace stowplan::solve
