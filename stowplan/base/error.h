// SPDX-License-Identifier: Apache-2.0
//
// Errors are for bad input and a bad environment; they name the place and the
// remedy. An answer such as "does not fit" is never an error but a value
// (`solve::Verdict`), and a caller's bug is an assertion.
#pragma once

#include <string>
#include <utility>

#include "tl/expected.hpp"

namespace stowplan {

enum class ErrorKind {
  kUsage,     // The caller asked for something that makes no sense; exit 2.
  kBadInput,  // A file or a document is broken or not supported; exit 3.
  kIo,        // The environment failed: a file that cannot be read; exit 3.
  kInternal,  // Our own fault, found by a check of our own; exit 4.
};

struct Error {
  ErrorKind kind = ErrorKind::kBadInput;
  std::string where;   // The place: "tensor 12 (conv1)", "line 3", "byte 40".
  std::string what;    // What is wrong there, in words.
  std::string remedy;  // What to do about it; may be empty.

  // One line: "where: what; remedy".
  std::string ToString() const {
    std::string text = where.empty() ? what : where + ": " + what;
    return remedy.empty() ? text : text + "; " + remedy;
  }
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

// What leads to a cold function is cold as well: compilers put the code that
// words an error apart, so that a run that meets none does not fill memory
// with it.
#if defined(__GNUC__)
#define STOWPLAN_COLD [[gnu::cold, gnu::noinline]]
#else
#define STOWPLAN_COLD
#endif

STOWPLAN_COLD inline tl::unexpected<Error> BadInput(std::string where,
                                                    std::string what,
                                                    std::string remedy = "") {
  return tl::unexpected(Error{ErrorKind::kBadInput, std::move(where),
                              std::move(what), std::move(remedy)});
}

STOWPLAN_COLD inline tl::unexpected<Error> UsageError(std::string where,
                                                      std::string what,
                                                      std::string remedy = "") {
  return tl::unexpected(Error{ErrorKind::kUsage, std::move(where),
                              std::move(what), std::move(remedy)});
}

STOWPLAN_COLD inline tl::unexpected<Error> InternalError(std::string where,
                                                         std::string what) {
  return tl::unexpected(
      Error{ErrorKind::kInternal, std::move(where), std::move(what),
            "this is a defect of Stowplan; please report it"});
}

// The error of a result that has one, for the macros below.
template <class T>
STOWPLAN_COLD tl::unexpected<Error> TakeError(Result<T>& result) {
  return tl::unexpected(std::move(result).error());
}

}  // namespace stowplan

// Returns the error of `expression`, a Status or a Result, to the caller.
#define STOWPLAN_RETURN_IF_ERROR(expression)                               \
  do {                                                                     \
    if (auto stowplan_status = (expression); !stowplan_status.has_value()) \
      return ::stowplan::TakeError(stowplan_status);                       \
  } while (false)

// Declares `variable` with the value of `expression`, a Result, or returns
// its error to the caller.
#define STOWPLAN_TRY(variable, expression)           \
  auto variable##_result = (expression);             \
  if (!variable##_result.has_value())                \
    return ::stowplan::TakeError(variable##_result); \
  auto variable = *std::move(variable##_result)
