// SPDX-License-Identifier: Apache-2.0
//
// Many short searches instead of a long one: the time that a search takes has
// a heavy tail, so that starting anew with another order beats waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/solve/exact.h"
#include "stowplan/solve/search_model.h"
#include "stowplan/solve/search_tree.h"

namespace stowplan::solve {

// Slices of work, numbered from 0. What slice i does depends on i and the
// options alone, never on another slice or on the time, so that threads may
// run them in any order; the one that counts is the first by number that has
// an answer.
class SearchPortfolio {
 public:
  SearchPortfolio(const SearchModel& model, const ExactOptions& options)
      : model_(model), options_(options), nodes_left_(options.max_nodes) {}

  struct Answer {
    SearchEnd end = SearchEnd::kStopped;
    Bytes limit = 0;             // The height that it is an answer for.
    std::vector<Bytes> offsets;  // kFound: by item.
    Bytes height = 0;            // kFound: what the offsets need.
    Bytes next_limit = 0;        // kExhausted: the least height left.
  };

  // Asks for a plan of a height in [lower, upper], all in units of the model,
  // until a slice has an answer or the budget is used up. The next call goes
  // on with the next slice. `report` is called from this thread.
  Answer Run(Bytes lower, Bytes upper, const std::function<void()>& report);

  int64_t nodes() const { return options_.max_nodes - nodes_left_; }
  uint64_t hash() const { return hash_; }

 private:
  struct Slice {
    Bytes limit = 0;
    int64_t max_nodes = 0;
  };
  struct Done {
    Answer answer;
    int64_t nodes = 0;
    uint64_t hash = 0;
  };
  class Crew;

  Slice SliceOf(int64_t index, Bytes lower, Bytes upper) const;
  template <class Height>
  Done RunSlice(int64_t index, const Slice& slice, std::stop_token stop) const;

  const SearchModel& model_;
  const ExactOptions& options_;
  int64_t next_slice_ = 0;
  int64_t nodes_left_;
  uint64_t hash_ = 0;
};

}  // namespace stowplan::solve
