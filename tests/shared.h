// SPDX-License-Identifier: Apache-2.0
//
// Where tests find the public models and cases that this repository does not
// hold. Tests that need them say that they were skipped if they are not there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace stowplan {

// $STOWPLAN_SHARED, or the folder `shared` beside the repository.
inline std::filesystem::path SharedFolder() {
  const char* folder = std::getenv("STOWPLAN_SHARED");
  if (folder != nullptr && *folder != '\0') return folder;
  return std::filesystem::path(STOWPLAN_SOURCE_DIR) / ".." / "shared";
}

inline std::string ReadWholeFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace stowplan

#define STOWPLAN_SKIP_WITHOUT(path)                                 \
  if (!std::filesystem::exists(path)) {                             \
    GTEST_SKIP() << (path) << " is not there; set STOWPLAN_SHARED"; \
  }
