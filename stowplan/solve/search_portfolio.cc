// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/search_portfolio.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "stowplan/solve/search_order.h"

namespace stowplan::solve {
namespace {

// Slices that ask for the lower bound and nothing else, at first: that is
// where most problems have an answer.
constexpr int64_t kFirstSlices = 32;
// Below this number threads cost more than they bring.
constexpr int64_t kAloneSlices = 2;

}  // namespace

SearchPortfolio::Slice SearchPortfolio::SliceOf(int64_t index, Bytes lower,
                                                Bytes upper) const {
  Slice slice;
  const int64_t base = 1000 + 4 * static_cast<int64_t>(model_.size());
  slice.max_nodes = base * Luby(index);
  slice.limit = lower;
  // Later, two of three slices go for something that may be easier.
  if (index >= kFirstSlices && index % 3 != 0) {
    slice.limit = lower + SpreadPart(index - index / 3, upper - lower);
    slice.max_nodes = base;  // Nothing is to be proved there.
  }
  return slice;
}

template <class Height>
SearchPortfolio::Done SearchPortfolio::RunSlice(int64_t index,
                                                const Slice& slice,
                                                std::stop_token stop) const {
  Done done;
  ExactRules rules = options_.rules;
  rules.families = rules.families && WithFamilies(index);
  rules.fail_first = rules.fail_first && WithFailFirst(index);
  SearchTree<Height> tree(model_, rules, slice.limit,
                          SearchRanks(model_, index, options_.seed));
  SearchBudget budget(slice.max_nodes, options_.deadline, std::move(stop));
  done.answer.end = tree.Run(&budget);
  done.answer.limit = slice.limit;
  if (done.answer.end == SearchEnd::kFound) {
    done.answer.offsets = tree.state().Offsets();
    done.answer.height = model_.alone;
    for (size_t i = 0; i < model_.size(); ++i) {
      done.answer.height = std::max(done.answer.height,
                                    done.answer.offsets[i] + model_.sizes[i]);
    }
  }
  done.answer.next_limit = tree.state().next_limit();
  done.nodes = budget.nodes();
  done.hash = budget.hash();
  return done;
}

// The threads of one run and what they share.
class SearchPortfolio::Crew {
 public:
  Crew(const SearchPortfolio& portfolio, int64_t first, Bytes lower,
       Bytes upper)
      : portfolio_(portfolio),
        lower_(lower),
        upper_(upper),
        next_(first),
        winner_(std::numeric_limits<int64_t>::max()),
        nodes_left_(portfolio.nodes_left_) {}

  // Takes slices until there is nothing more to win; at most `most`.
  void Work(int64_t most, const std::function<void()>* report) {
    for (int64_t taken = 0; taken < most; ++taken) {
      int64_t index;
      Slice slice;
      std::stop_source stop;
      if (!Take(&index, &slice, stop)) return;
      // A stop from outside reaches the slice as well as one of ours.
      std::stop_callback outside(portfolio_.options_.stop,
                                 [&] { stop.request_stop(); });
      Done done =
          portfolio_.model_.small
              ? portfolio_.RunSlice<int32_t>(index, slice, stop.get_token())
              : portfolio_.RunSlice<int64_t>(index, slice, stop.get_token());
      Finish(index, slice, std::move(done));
      if (report) (*report)();
    }
  }

  bool HasWinner() const {
    return winner_ != std::numeric_limits<int64_t>::max();
  }
  int64_t winner() const { return winner_; }
  // By number; all below the winner are there.
  std::map<int64_t, Done>& done() { return done_; }

 private:
  bool Take(int64_t* index, Slice* slice, const std::stop_source& stop) {
    std::lock_guard lock(mutex_);
    if (next_ >= winner_ || nodes_left_ <= 0 || interrupted_) return false;
    *index = next_++;
    *slice = portfolio_.SliceOf(*index, lower_, upper_);
    slice->max_nodes = std::min(slice->max_nodes, nodes_left_);
    nodes_left_ -= slice->max_nodes;
    running_.emplace(*index, stop);
    return true;
  }

  void Finish(int64_t index, const Slice& slice, Done done) {
    std::lock_guard lock(mutex_);
    running_.erase(index);
    if (done.answer.end != SearchEnd::kStopped && index < winner_) {
      winner_ = index;
      for (auto& [other, stop] : running_) {
        if (other > index) stop.request_stop();
      }
    } else if (index < winner_ && done.nodes < slice.max_nodes) {
      interrupted_ = true;  // By a deadline or a request.
    }
    done_.emplace(index, std::move(done));
  }

  const SearchPortfolio& portfolio_;
  const Bytes lower_, upper_;
  std::mutex mutex_;
  int64_t next_;
  int64_t winner_;
  int64_t nodes_left_;
  bool interrupted_ = false;
  std::map<int64_t, std::stop_source> running_;
  std::map<int64_t, Done> done_;
};

SearchPortfolio::Answer SearchPortfolio::Run(
    Bytes lower, Bytes upper, const std::function<void()>& report) {
  Crew crew(*this, next_slice_, lower, upper);
  const int64_t all = std::numeric_limits<int64_t>::max();
  if (next_slice_ == 0) crew.Work(kAloneSlices, &report);
  if (!crew.HasWinner()) {
    std::vector<std::jthread> others;
    for (int t = 1; t < options_.threads; ++t) {
      others.emplace_back([&] { crew.Work(all, nullptr); });
    }
    crew.Work(all, &report);
  }
  Answer answer;
  for (auto& [index, done] : crew.done()) {
    if (index > crew.winner()) break;
    nodes_left_ -= done.nodes;
    hash_ = (hash_ ^ done.hash) * 0x9E3779B97F4A7C15u;
    next_slice_ = index + 1;
    if (index == crew.winner()) answer = std::move(done.answer);
  }
  return answer;
}

}  // namespace stowplan::solve
