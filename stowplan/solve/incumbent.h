// SPDX-License-Identifier: Apache-2.0
//
// The best plan so far, and what is proved about the problem so far.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "stowplan/plan/metrics.h"
#include "stowplan/plan/plan.h"
#include "stowplan/plan/problem.h"

namespace stowplan::solve {

class Incumbent {
 public:
  // `lower_bound` is proved by the load of a step; of a part of a problem it
  // may be the bound of the whole, below which no peak is of use.
  Incumbent(const plan::Problem& problem, Bytes lower_bound)
      : problem_(problem), lower_bound_(lower_bound) {}

  // Takes `plan` if it is better than all before. The first of equals stays.
  // REQUIRES: a plan that keeps the rules, apart from the capacity.
  bool Offer(plan::Plan plan, std::string solver) {
    const Bytes peak = plan::Peak(problem_, plan);
    if (plan_ && peak >= peak_) return false;
    plan_ = std::move(plan);
    peak_ = peak;
    solver_ = std::move(solver);
    return true;
  }
  // REQUIRES: a proof by search.
  void RaiseBound(Bytes bound) {
    if (bound <= lower_bound_) return;
    lower_bound_ = bound;
    by_search_ = true;
  }

  const std::optional<plan::Plan>& plan() const { return plan_; }
  std::optional<Bytes> peak() const {
    return plan_ ? std::optional(peak_) : std::nullopt;
  }
  const std::string& solver() const { return solver_; }
  Bytes lower_bound() const { return lower_bound_; }
  bool by_search() const { return by_search_; }

  bool FitsCapacity() const {
    return plan_ && peak_ <= problem_.capacity().value_or(peak_);
  }
  // Nothing is left to find: no lower peak exists, or nothing fits.
  bool Settled() const {
    if (plan_ && peak_ <= lower_bound_) return true;
    return problem_.capacity() && lower_bound_ > *problem_.capacity();
  }

 private:
  const plan::Problem& problem_;
  std::optional<plan::Plan> plan_;
  Bytes peak_ = 0;
  std::string solver_;
  Bytes lower_bound_;
  bool by_search_ = false;
};

}  // namespace stowplan::solve
