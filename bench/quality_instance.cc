// SPDX-License-Identifier: Apache-2.0
#include "bench/quality_instance.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "stowplan/plan/problem_csv.h"
#include "stowplan/testing/problem_generator.h"

namespace stowplan::bench {

std::optional<Instance> ReadInstance(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  Result<plan::NamedProblem> read = plan::ReadProblemCsv(text);
  if (!file || !read) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(),
                 file ? read.error().ToString().c_str() : "cannot be read");
    return std::nullopt;
  }
  const std::filesystem::path full(path);
  return Instance{full.parent_path().filename().string(), full.stem().string(),
                  std::move(read->problem), std::nullopt};
}

std::vector<Instance> MakeInstances(int64_t largest) {
  std::vector<Instance> instances;
  for (int buffers : {25, 50, 100, 200}) {
    for (bool pinwheels : {false, true}) {
      Instance& instance = instances.emplace_back();
      instance.set = "tilings";
      instance.name =
          (pinwheels ? "pinwheel_" : "straight_") + std::to_string(buffers);
      instance.problem =
          testing::DenseTiling(buffers, 1024, 1024, pinwheels, 1);
      instance.optimum = 1024;
    }
  }
  for (int64_t buffers = 1000; buffers <= largest; buffers *= 10) {
    Instance& instance = instances.emplace_back();
    instance.set = "heavy";
    instance.name = "heavy_" + std::to_string(buffers);
    instance.problem = testing::HeavyTailedProblem(buffers, 500, 1);
  }
  return instances;
}

}  // namespace stowplan::bench
