// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzzer's entry without libFuzzer, under any compiler:
//
//   fuzz_x_replay FILE...             each file once
//   fuzz_x_replay --mutate N FILE...  and N mutations of each, from a seed
//
// The mutations are the same on every machine, so that a test may use them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "stowplan/testing/problem_random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Input = std::vector<uint8_t>;

// Cuts, flips bits, and copies bytes from one place to another.
Input Mutate(Input input, stowplan::testing::Random* random) {
  auto place = [&] {
    return static_cast<size_t>(
        random->Between(0, static_cast<int64_t>(input.size()) - 1));
  };
  const int64_t changes = random->Between(1, 8);
  for (int64_t i = 0; i < changes && !input.empty(); ++i) {
    switch (random->Between(0, 3)) {
      case 0:
        input[place()] ^= static_cast<uint8_t>(1 << random->Between(0, 7));
        break;
      case 1:
        input[place()] = input[place()];
        break;
      case 2:
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(place()),
                     input[place()]);
        break;
      default:
        if (random->Chance(20)) {
          input.resize(place());
        } else {
          input.erase(input.begin() + static_cast<std::ptrdiff_t>(place()));
        }
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  int64_t mutations = 0;
  int64_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--mutate") == 0 && i + 1 < argc) {
      mutations = std::strtoll(argv[++i], nullptr, 10);
      continue;
    }
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    const Input input((std::istreambuf_iterator<char>(file)),
                      std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++runs;
    for (int64_t seed = 0; seed < mutations; ++seed, ++runs) {
      stowplan::testing::Random random(static_cast<uint64_t>(seed));
      const Input mutated = Mutate(input, &random);
      LLVMFuzzerTestOneInput(mutated.data(), mutated.size());
    }
  }
  std::printf("%lld inputs\n", static_cast<long long>(runs));
  return runs > 0 ? 0 : 1;
}
