// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/exit_code.h"

#include <cstdio>
#include <string>

#include "fmt/core.h"

namespace stowplan::cli {

ExitCode Fail(const Error& error, const std::string& subject) {
  const bool named = subject.empty() || error.where == subject;
  fmt::print(stderr, "stowplan: error: {}{}{}\n", named ? "" : subject,
             named ? "" : ": ", error.ToString());
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
