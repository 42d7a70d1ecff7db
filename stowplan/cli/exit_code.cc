// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/exit_code.h"

#include <cstdio>
#include <string>

#include "fmt/format.h"

namespace stowplan::cli {

void PrintError(const std::string& text) {
  const std::string line = "stowplan: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

ExitCode Fail(const Error& error, const std::string& subject) {
  const bool named = subject.empty() || error.where == subject;
  PrintError(fmt::format("error: {}{}{}", named ? "" : subject,
                         named ? "" : ": ", error.ToString()));
  switch (error.kind) {
    case ErrorKind::kUsage:
      return kUsage;
    case ErrorKind::kBadInput:
    case ErrorKind::kIo:
      return kBadInput;
    case ErrorKind::kInternal:
      return kInternal;
  }
  return kInternal;
}

}  // namespace stowplan::cli
