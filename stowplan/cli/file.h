// SPDX-License-Identifier: Apache-2.0
//
// Files in and out; the only place that touches them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "stowplan/base/error.h"

namespace stowplan::cli {

// A file's content, mapped where it can be, so that pages nobody looks at
// cost nothing.
struct InputFile {
  std::string path;  // As the user named it.
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> storage;  // Keeps `bytes` valid.
  bool mapped = false;                  // Else it was read into memory.

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

// "-" reads stdin to its end, up to 2 GiB. Errors: kIo naming the path.
Result<InputFile> ReadInput(const std::string& path);

// Writes all or nothing: a reader sees the old file or the new one. A file
// that is there already is replaced only if it is a document of ours (or
// empty), or if `force` is set, and never if it is one of `inputs`.
// Errors: kUsage, kIo.
Status WriteOutput(const std::string& path, std::string_view content,
                   bool force, std::span<const std::string> inputs);

}  // namespace stowplan::cli
