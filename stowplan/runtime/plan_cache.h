// SPDX-License-Identifier: Apache-2.0
//
// Plans that were made before, so that going back to a shape costs no search.
#pragma once

#include <cstddef>
#include <vector>

#include "stowplan/graph/model.h"
#include "stowplan/graph/ref.h"
#include "stowplan/plan/plan.h"

namespace stowplan::runtime {

// Holds a bounded number of plans; the one that was not used for longest goes
// first. A plan takes eight bytes for each buffer.
class PlanCache {
 public:
  // All that decides the problem of one model, entry and set of rules.
  struct Key {
    std::vector<graph::Shape> shapes;       // Of the resized inputs.
    std::vector<graph::TensorRef> outside;  // In the caller's memory.

    friend bool operator==(const Key&, const Key&) = default;
  };

  // At most `limit` plans; 0: none at all.
  explicit PlanCache(size_t limit) : limit_(limit) {}

  // Null if it is not there. Valid until the next Add. O(limit).
  const plan::Plan* Find(const Key& key);
  // REQUIRES: `key` is not there. O(limit).
  void Add(Key key, const plan::Plan& plan);

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Key key;
    plan::Plan plan;
  };

  size_t limit_;
  std::vector<Entry> entries_;  // The one used last at the end.
};

}  // namespace stowplan::runtime
