// SPDX-License-Identifier: Apache-2.0
//
// Every small problem there is, up to the order of its buffers: all solvers
// keep the rules, the exact ones come to what brute force finds, and no bound
// is above that.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/plan/lower_bound.h"
#include "stowplan/solve/solve.h"
#include "stowplan/testing/problem_builder.h"
#include "stowplan/testing/problem_oracle.h"
#include "stowplan/testing/problem_shrinker.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::Gap;
using plan::Problem;
using testing::MakeBuffer;

// What is wrong with the answers to `problem`; empty if nothing is.
std::string Fault(const Problem& problem) {
  const std::optional<Bytes> least = testing::LeastPeak(problem, 64);
  if (least && plan::LowerBound(problem).bytes > *least) return "bound";
  for (const SolverInfo& info : Solvers()) {
    Options options;
    options.solver = info.solver;
    const Result<Outcome> outcome = Solve(problem, options);
    const std::string name(info.name);
    if (!outcome) return name + ": " + outcome.error().ToString();
    if (!least) {
      if (outcome->verdict != Verdict::kInfeasible) return name + ": feasible?";
      continue;
    }
    if (!testing::IsValidPlan(problem, outcome->plan))
      return name + ": invalid";
    if (outcome->lower_bound > *least) return name + ": bound";
    if (outcome->peak < *least) return name + ": below the least peak";
    const bool optimal = outcome->verdict == Verdict::kOptimal;
    if (optimal && outcome->peak != *least) return name + ": not optimal";
    const bool exact =
        info.solver == Solver::kExact || info.solver == Solver::kPortfolio;
    if (exact && !optimal) return name + ": not proved";
  }
  return "";
}

// Hands every multiset of up to `most` of `kinds` to `visit`.
void ForEachMultiset(const std::vector<Buffer>& kinds, size_t most,
                     std::vector<Buffer>* chosen, size_t from,
                     const std::function<void(const Problem&)>& visit) {
  visit(testing::MakeProblem(*chosen));
  if (chosen->size() == most) return;
  for (size_t kind = from; kind < kinds.size(); ++kind) {
    chosen->push_back(kinds[kind]);
    ForEachMultiset(kinds, most, chosen, kind, visit);
    chosen->pop_back();
  }
}

int64_t CheckAll(const std::vector<Buffer>& kinds, size_t most) {
  int64_t problems = 0;
  std::vector<Buffer> chosen;
  ForEachMultiset(kinds, most, &chosen, 0, [&](const Problem& problem) {
    ++problems;
    if (::testing::Test::HasFailure()) return;  // One report is enough.
    EXPECT_EQ(Fault(problem), "") << testing::ToCsv(problem);
  });
  return problems;
}

TEST(ExhaustiveTest, HoldsForUpToFourPlainBuffers) {
  std::vector<Buffer> kinds;
  for (Bytes size = 1; size <= 3; ++size) {
    for (plan::Step begin = 0; begin < 4; ++begin) {
      for (plan::Step end = begin + 1; end <= 4; ++end) {
        kinds.push_back(MakeBuffer(size, {begin, end}));
      }
    }
  }
  EXPECT_EQ(CheckAll(kinds, 4), 46376);  // C(30 + 4, 4)
}

TEST(ExhaustiveTest, HoldsForUpToThreeBuffersWithEveryFeature) {
  std::vector<Buffer> kinds;
  auto add = [&](plan::LiveRange live, std::vector<Gap> gaps) {
    for (Bytes size = 1; size <= 2; ++size) {
      for (Bytes alignment = 1; alignment <= 2; ++alignment) {
        for (std::optional<Bytes> pinned :
             {std::optional<Bytes>(), std::optional<Bytes>(0),
              std::optional<Bytes>(2)}) {
          kinds.push_back(MakeBuffer(size, live, alignment, pinned, gaps));
        }
      }
    }
  };
  add({0, 1}, {});
  add({0, 3}, {});
  add({1, 2}, {});
  add({0, 3}, {{{1, 2}, {}}});
  add({0, 3}, {{{1, 2}, ByteRange{0, 1}}});
  EXPECT_EQ(CheckAll(kinds, 3), 39711);  // C(60 + 3, 3)
}

}  // namespace
}  // namespace stowplan::solve
