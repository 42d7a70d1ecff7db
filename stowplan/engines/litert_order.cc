// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert_order.h"

#include <algorithm>
#include <array>

namespace stowplan::engines {
namespace {

// The bucket counts that a set grows through if it is filled one by one: the
// next prime of the library's list at twice the count or more.
constexpr std::array<size_t, 19> kBucketCounts = {
    13,     29,     59,      127,     257,    541,   1109,
    2357,   5087,   10273,   20753,   42043,  85229, 172933,
    351061, 712697, 1447153, 2938679, 5967347};

}  // namespace

void HashOrder::Insert(int32_t id) {
  if (std::find(ids_.begin(), ids_.end(), id) != ids_.end()) return;
  if (ids_.size() + 1 > next_growth_) {
    const auto next =
        std::upper_bound(kBucketCounts.begin(), kBucketCounts.end(), buckets_);
    if (next != kBucketCounts.end()) {
      buckets_ = *next;
      next_growth_ = buckets_;
      for (int32_t old : std::exchange(ids_, {})) Chain(old);
    }
  }
  Chain(id);
}

void HashOrder::Chain(int32_t id) {
  const size_t bucket = static_cast<size_t>(id) % buckets_;
  const auto same =
      std::find_if(ids_.begin(), ids_.end(), [this, bucket](int32_t other) {
        return static_cast<size_t>(other) % buckets_ == bucket;
      });
  ids_.insert(same == ids_.end() ? ids_.begin() : same, id);
}

}  // namespace stowplan::engines
