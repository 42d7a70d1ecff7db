// SPDX-License-Identifier: Apache-2.0
//
// When a search has to stop, and what it has done until then.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

namespace stowplan::solve {

class SearchBudget {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  SearchBudget(int64_t max_nodes, Deadline deadline, std::stop_token stop)
      : max_nodes_(max_nodes), deadline_(deadline), stop_(std::move(stop)) {}

  // Counts a node, or `cost` of them where one is as much work as several, and
  // mixes what was chosen there into the hash. False once the search has to
  // stop, and from then on.
  bool Spend(uint64_t choice, int64_t cost = 1) {
    if (stopped_ || nodes_ >= max_nodes_) {
      stopped_ = true;
      return false;
    }
    nodes_ += std::min(cost, max_nodes_ - nodes_);
    hash_ = (hash_ ^ choice) * 0x100000001B3u;
    hash_ ^= hash_ >> 29;
    if ((++looks_ & 0x3F) == 0 && Interrupted()) stopped_ = true;
    return !stopped_;
  }

  // For a problem that is too large for this search.
  void Stop() { stopped_ = true; }

  // Whether the search was stopped from outside: a deadline or a request.
  bool Interrupted() const {
    return stop_.stop_requested() ||
           (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
  }
  bool stopped() const { return stopped_; }
  int64_t nodes() const { return nodes_; }
  uint64_t hash() const { return hash_; }

 private:
  int64_t max_nodes_;
  Deadline deadline_;
  std::stop_token stop_;
  int64_t nodes_ = 0;
  int64_t looks_ = 0;
  uint64_t hash_ = 0xCBF29CE484222325u;
  bool stopped_ = false;
};

}  // namespace stowplan::solve
