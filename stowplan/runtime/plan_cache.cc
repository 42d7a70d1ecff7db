// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/plan_cache.h"

#include <algorithm>
#include <utility>

namespace stowplan::runtime {

const plan::Plan* PlanCache::Find(const Key& key) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const Entry& entry) { return entry.key == key; });
  if (found == entries_.end()) return nullptr;
  std::rotate(found, found + 1, entries_.end());
  return &entries_.back().plan;
}

void PlanCache::Add(Key key, const plan::Plan& plan) {
  if (limit_ == 0) return;
  if (entries_.size() == limit_) entries_.erase(entries_.begin());
  entries_.push_back({std::move(key), plan});
}

}  // namespace stowplan::runtime
