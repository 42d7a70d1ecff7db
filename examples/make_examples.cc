// SPDX-License-Identifier: Apache-2.0
//
// Writes the example models into a folder:
//   stowplan_make_examples [--quiet] DIRECTORY
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "examples/models.h"

namespace {

namespace examples = stowplan::examples;

constexpr int kUsage = 2;
constexpr int kBadEnvironment = 3;
constexpr int kOurFault = 4;

bool Write(const std::filesystem::path& path,
           const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.flush().good();
}

int MakeAll(const std::filesystem::path& directory, bool quiet) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) {
    std::fprintf(stderr, "%s: cannot make this folder (%s)\n",
                 directory.c_str(), failure.message().c_str());
    return kBadEnvironment;
  }
  for (const examples::Example& example : examples::AllExamples()) {
    const auto bytes = example.make();
    if (!bytes) {
      std::fprintf(stderr, "%s\n", bytes.error().ToString().c_str());
      return kOurFault;
    }
    const auto path = directory / (std::string(example.name) + ".tflite");
    if (!Write(path, *bytes)) {
      std::fprintf(stderr, "%s: cannot write this file\n", path.c_str());
      return kBadEnvironment;
    }
    if (!quiet) std::printf("%9zu  %s\n", bytes->size(), path.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool quiet = false;
  std::string_view directory;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quiet") {
      quiet = true;
    } else if (directory.empty() && !argument.starts_with('-')) {
      directory = argument;
    } else {
      directory = {};
      break;
    }
  }
  if (directory.empty()) {
    std::fprintf(stderr, "usage: %s [--quiet] DIRECTORY\n", argv[0]);
    return kUsage;
  }
  return MakeAll(directory, quiet);
}
