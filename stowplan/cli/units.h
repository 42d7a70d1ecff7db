// SPDX-License-Identifier: Apache-2.0
//
// Sizes and times as people type them.
#pragma once

#include <chrono>
#include <string_view>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"

namespace stowplan::cli {

// "1048576", "256K", "2MiB", "1.5M", "64kB". K, M, G and KiB, MiB, GiB are
// powers of 1024; kB, KB, MB, GB are powers of 1000. Not negative, below 2^62.
// Errors: kUsage.
Result<Bytes> ParseSize(std::string_view text);

// "100ms", "2s", "1.5min", "250us". At most a year. Errors: kUsage.
Result<std::chrono::nanoseconds> ParseDuration(std::string_view text);

}  // namespace stowplan::cli
