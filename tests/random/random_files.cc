// SPDX-License-Identifier: Apache-2.0
//
// Writes model files with random operators, for compare_random.py:
//   random_files FOLDER FIRST_SEED COUNT [TYPE]
// Seed s is in family s modulo the number of families; a file has one to six
// operators, or one of that type. A line a file: its name and operators.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/random/random_model.h"

namespace {

using namespace stowplan;  // NOLINT: a program, not a library.

constexpr const char* kNames[] = {"float", "hybrid", "int8",
                                  "uint8", "int16",  "int32"};

Status WriteFile(const std::string& folder, uint64_t seed,
                 std::string_view type) {
  const auto index = seed % tests::kFamilies;
  const auto family = static_cast<tests::Family>(index);
  tests::RandomModel model(seed, family);
  const int operators = type.empty() ? model.Between(1, 6) : 1;
  for (int i = 0; i < operators; ++i) {
    STOWPLAN_RETURN_IF_ERROR(tests::AddRandomOperator(&model, type));
  }
  STOWPLAN_TRY(bytes, model.Build());
  const std::string path = folder + "/random_" + std::to_string(seed) + "_" +
                           kNames[index] + ".tflite";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) {
    return tl::unexpected(
        Error{ErrorKind::kIo, path, "it cannot be written", ""});
  }
  std::printf("%s\n", path.c_str());
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4 || count > 5) {
    std::fprintf(stderr, "random_files FOLDER FIRST_SEED COUNT [TYPE]\n");
    return 2;
  }
  const uint64_t first = std::strtoull(arguments[2], nullptr, 10);
  const uint64_t files = std::strtoull(arguments[3], nullptr, 10);
  const std::string type = count == 5 ? arguments[4] : "";
  for (uint64_t seed = first; seed < first + files; ++seed) {
    if (!type.empty()) {
      const auto types = stowplan::tests::RandomOperatorTypes(
          static_cast<stowplan::tests::Family>(seed %
                                               stowplan::tests::kFamilies));
      if (std::find(types.begin(), types.end(), type) == types.end()) continue;
    }
    const Status status = WriteFile(arguments[1], seed, type);
    if (!status) {
      std::fprintf(stderr, "seed %llu: %s\n",
                   static_cast<unsigned long long>(seed),
                   status.error().ToString().c_str());
      return 3;
    }
  }
  return 0;
}
