// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/prices.h"

#include <string>
#include <utility>

#include "stowplan/plan/lower_bound.h"

namespace stowplan::report {
namespace {

using schedule::InPlace;
using schedule::Io;
using schedule::Rules;

struct Change {
  std::string option;
  Rules rules;
};

Change ChangeIo(const Rules& rules, const char* option, Io Rules::*io) {
  Change change{option, rules};
  const bool keeps = rules.*io == Io::kKeep;
  change.rules.*io = keeps ? Io::kRecycle : Io::kKeep;
  change.option += keeps ? " recycle" : " keep";
  return change;
}

std::vector<Change> ChangesOf(const Rules& rules) {
  std::vector<Change> changes = {
      ChangeIo(rules, "--inputs", &Rules::inputs),
      ChangeIo(rules, "--outputs", &Rules::outputs),
  };
  Change in_place{"--in-place off", rules};
  in_place.rules.in_place = InPlace::kOff;
  if (rules.in_place != InPlace::kSafe) {
    in_place = {"--in-place safe", rules};
    in_place.rules.in_place = InPlace::kSafe;
  }
  changes.push_back(std::move(in_place));
  Change fold{
      rules.fold_constants ? "--fold-constants=off" : "--fold-constants=on",
      rules};
  fold.rules.fold_constants = !rules.fold_constants;
  changes.push_back(std::move(fold));
  if (!rules.keep.empty()) {
    Change forget{"without --keep", rules};
    forget.rules.keep.clear();
    changes.push_back(std::move(forget));
  }
  return changes;
}

}  // namespace

Result<std::vector<Price>> FindPrices(const graph::Model& model,
                                      const schedule::MemoryNeeds& needs,
                                      Bytes lower_bound) {
  std::vector<Price> prices;
  for (Change& change : ChangesOf(needs.rules)) {
    STOWPLAN_TRY(changed, schedule::FindMemoryNeeds(model, change.rules,
                                                    needs.kinds.dynamic));
    const Bytes bound = plan::LowerBound(changed.problem).bytes;
    prices.push_back({std::move(change.option), bound, bound - lower_bound,
                      changed.persistent_bytes - needs.persistent_bytes});
  }
  return prices;
}

}  // namespace stowplan::report
