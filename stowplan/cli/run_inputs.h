// SPDX-License-Identifier: Apache-2.0
//
// What a run reads: files of arrays, or numbers made from a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/cli/file.h"
#include "stowplan/runtime/interpreter.h"

namespace stowplan::cli {

class RunInputs {
 public:
  // Of `texts`, "random:SEED" is for every input without a file,
  // "NAME=FILE.npy" for the input of that name, "FILE.npy" for the first that
  // has none; without any text random:42. Errors: kUsage for a text that
  // means nothing, kBadInput for files that are no arrays or fit no input.
  static Result<RunInputs> Parse(const std::vector<std::string>& texts,
                                 const runtime::Interpreter& interpreter);

  // Whether every file has its input's type and shape. REQUIRES: the
  // interpreter has its memory. Errors (kBadInput) say what is expected.
  Status Check(runtime::Interpreter& interpreter) const;

  // Sets all inputs. REQUIRES: Check said yes.
  Status Fill(runtime::Interpreter& interpreter) const;

  // Where input i comes from: "random:42", or a path.
  std::string SourceOf(size_t i) const;

 private:
  Status AddFile(const std::string& text,
                 const runtime::Interpreter& interpreter);

  std::vector<std::optional<InputFile>> files_;  // By input.
  std::optional<uint64_t> seed_;
};

}  // namespace stowplan::cli
