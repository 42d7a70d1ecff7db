// SPDX-License-Identifier: Apache-2.0
//
// stowplan_bench_quality: how low the peaks are, and what they cost.
//
//   stowplan_bench_quality [--solver NAME] [--effort N] [--threads N]
//                          [--deadline MILLISECONDS] [--generated LARGEST]
//                          [FILE.csv...]
//
// Prints one JSON document with an entry per problem. Everything in it but
// the times and the memory is the same on every machine unless a deadline is
// given.
#include <sys/resource.h>
#include <time.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "bench/quality_instance.h"
#include "nlohmann/json.hpp"
#include "stowplan/solve/solve.h"

namespace stowplan::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  solve::Options options;
  std::optional<std::chrono::milliseconds> deadline;  // Per problem.
  int64_t largest = 0;  // Of the generated problems; 0 for none.
  std::vector<std::string> files;
};

std::optional<int64_t> ParseNumber(const char* text) {
  int64_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Nothing, with a message on stderr, if they make no sense.
std::optional<Arguments> ParseArguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (!name.starts_with("--")) {
      arguments.files.push_back(name);
      continue;
    }
    const char* text = i + 1 < argc ? argv[++i] : "";
    if (name == "--solver") {
      const Result<solve::Solver> solver = solve::ParseSolver(text);
      if (!solver) {
        std::fprintf(stderr, "%s\n", solver.error().ToString().c_str());
        return std::nullopt;
      }
      arguments.options.solver = *solver;
      continue;
    }
    const std::optional<int64_t> value = ParseNumber(text);
    if (value && name == "--effort") {
      arguments.options.effort = *value;
    } else if (value && name == "--threads") {
      arguments.options.threads = static_cast<int>(*value);
    } else if (value && name == "--deadline") {
      arguments.deadline = std::chrono::milliseconds(*value);
    } else if (value && name == "--generated") {
      arguments.largest = *value;
    } else {
      std::fprintf(stderr, "%s %s: not understood\n", name.c_str(), text);
      return std::nullopt;
    }
  }
  return arguments;
}

// Of all threads; unlike the wall clock it does not count other processes.
double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

nlohmann::json Run(const Instance& instance, const Arguments& arguments) {
  solve::Options options = arguments.options;
  const Clock::time_point start = Clock::now();
  const double cpu_start = CpuSeconds();
  if (arguments.deadline) options.deadline = start + *arguments.deadline;
  const Result<solve::Outcome> outcome =
      solve::Solve(instance.problem, options);
  const double seconds =
      std::chrono::duration<double>(Clock::now() - start).count();
  nlohmann::json entry = {{"set", instance.set},
                          {"name", instance.name},
                          {"buffers", instance.problem.size()},
                          {"seconds", seconds},
                          {"cpu_seconds", CpuSeconds() - cpu_start}};
  if (!outcome) {
    entry["error"] = outcome.error().ToString();
    return entry;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  entry["peak"] = outcome->peak;
  entry["lower_bound"] = outcome->lower_bound;
  entry["verdict"] = solve::ToString(outcome->verdict);
  entry["proof"] = solve::ToString(outcome->proof);
  entry["solver"] = outcome->solver;
  entry["nodes"] = outcome->work.nodes;
  entry["placements"] = outcome->work.placements;
  entry["max_rss_kib"] = usage.ru_maxrss;
  if (instance.optimum) entry["optimum"] = *instance.optimum;
  return entry;
}

int Main(int argc, char** argv) {
  const std::optional<Arguments> arguments = ParseArguments(argc, argv);
  if (!arguments) return 2;
  nlohmann::json document = {
      {"schema", "stowplan.bench.quality/1"},
      {"options",
       {{"solver", solve::ToString(arguments->options.solver)},
        {"effort", arguments->options.effort},
        {"threads", arguments->options.threads}}},
      {"problems", nlohmann::json::array()}};
  if (arguments->deadline) {
    document["options"]["deadline_ms"] = arguments->deadline->count();
  }
  bool all_read = true;
  for (const std::string& file : arguments->files) {
    const std::optional<Instance> instance = ReadInstance(file);
    all_read &= instance.has_value();
    if (instance) document["problems"].push_back(Run(*instance, *arguments));
  }
  if (arguments->largest > 0) {
    for (const Instance& instance : MakeInstances(arguments->largest)) {
      document["problems"].push_back(Run(instance, *arguments));
    }
  }
  std::printf("%s\n", document.dump(1).c_str());
  return all_read ? 0 : 3;
}

}  // namespace
}  // namespace stowplan::bench

int main(int argc, char** argv) { return stowplan::bench::Main(argc, argv); }
