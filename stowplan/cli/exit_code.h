// SPDX-License-Identifier: Apache-2.0
//
// What the process tells its caller.
#pragma once

#include <string>

#include "stowplan/base/error.h"

namespace stowplan::cli {

enum ExitCode : int {
  kDone = 0,
  kNo = 1,        // The answer is no: does not fit, refused, over budget.
  kUsage = 2,     // The command line makes no sense.
  kBadInput = 3,  // A file is broken, missing or not supported.
  kInternal = 4,  // Our own fault.
};

// "stowplan: TEXT" on stderr, on a line of its own. If that cannot be written,
// there is nobody to tell.
void PrintError(const std::string& text);

// Prints "stowplan: error: ..." to stderr and returns the code of its kind.
// `subject` is what the user named, a file say; empty for none.
ExitCode Fail(const Error& error, const std::string& subject = "");

}  // namespace stowplan::cli
