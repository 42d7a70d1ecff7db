// SPDX-License-Identifier: Apache-2.0
//
// stowplan_bench_rules: what each rule of the exact search buys.
//
//   stowplan_bench_rules MAX_NODES FILE.csv...
//
// Prints a Markdown table: the nodes until the answer is proved with all
// rules, then without each of them; "-" where the budget was not enough.
// Without incumbent, windows and threads, so that nothing else helps.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "bench/quality_instance.h"
#include "stowplan/solve/exact.h"

namespace stowplan::bench {
namespace {

using solve::ExactRules;

struct Column {
  const char* name;
  bool ExactRules::*without;
};

constexpr Column kColumns[] = {
    {"all", nullptr},
    {"release bound", &ExactRules::release_bound},
    {"dominance", &ExactRules::dominance},
    {"twins", &ExactRules::twins},
    {"families", &ExactRules::families},
    {"hatless", &ExactRules::hatless},
    {"decomposition", &ExactRules::decomposition},
    {"fail first", &ExactRules::fail_first},
};

void PrintRow(const Instance& instance, int64_t max_nodes) {
  std::printf("| %s |", instance.name.c_str());
  for (const Column& column : kColumns) {
    solve::ExactOptions options;
    options.max_nodes = max_nodes;
    options.windows = false;
    if (column.without != nullptr) options.rules.*column.without = false;
    const solve::ExactOutcome outcome =
        solve::SolveExact(instance.problem, options);
    if (outcome.exhausted) {
      std::printf(" %lld |", static_cast<long long>(outcome.nodes));
    } else {
      std::printf(" - |");
    }
    std::fflush(stdout);
  }
  std::printf("\n");
}

int Main(int argc, char** argv) {
  int64_t max_nodes = 0;
  if (argc > 2) {
    std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), max_nodes);
  }
  if (max_nodes <= 0) {
    std::fprintf(stderr, "usage: stowplan_bench_rules MAX_NODES FILE.csv...\n");
    return 2;
  }
  std::printf("| nodes |");
  for (const Column& column : kColumns) {
    std::printf(" %s%s |", column.without ? "no " : "", column.name);
  }
  std::printf("\n|---|");
  for (size_t i = 0; i < std::size(kColumns); ++i) std::printf("---|");
  std::printf("\n");
  for (int i = 2; i < argc; ++i) {
    const std::optional<Instance> instance = ReadInstance(argv[i]);
    if (!instance) return 3;
    PrintRow(*instance, max_nodes);
  }
  return 0;
}

}  // namespace
}  // namespace stowplan::bench

int main(int argc, char** argv) { return stowplan::bench::Main(argc, argv); }
