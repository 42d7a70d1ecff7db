// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/units.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string>

namespace stowplan::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKibi = 1024;
constexpr Unit kSizeUnits[] = {
    {"", 1},
    {"B", 1},
    {"K", kKibi},
    {"KiB", kKibi},
    {"M", kKibi* kKibi},
    {"MiB", kKibi* kKibi},
    {"G", kKibi* kKibi* kKibi},
    {"GiB", kKibi* kKibi* kKibi},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
};
constexpr Unit kTimeUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};

constexpr double kYear = 366.0 * 24 * 3600 * 1e9;

// A number that is not negative, times the unit behind it.
std::optional<double> Parse(std::string_view text,
                            std::span<const Unit> units) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  const std::string_view name(stop, static_cast<size_t>(end - stop));
  const auto unit = std::find_if(
      units.begin(), units.end(),
      [&](const Unit& candidate) { return candidate.name == name; });
  if (unit == units.end()) return std::nullopt;
  return number * unit->factor;
}

}  // namespace

Result<Bytes> ParseSize(std::string_view text) {
  // Whole numbers keep all their digits.
  Bytes exact = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, exact);
  constexpr Bytes kLimit = Bytes{1} << 62;
  if (error == std::errc() && stop == end && exact >= 0 && exact < kLimit) {
    return exact;
  }
  const std::optional<double> size = Parse(text, kSizeUnits);
  if (!size || *size >= static_cast<double>(kLimit)) {
    return UsageError("size '" + std::string(text) + "'",
                      "is no size below 2^62 bytes",
                      "write 1048576, 256K, 2MiB or 64kB");
  }
  return static_cast<Bytes>(*size);
}

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  const std::optional<double> time = Parse(text, kTimeUnits);
  if (!time || *time > kYear) {
    return UsageError("time '" + std::string(text) + "'", "is no time",
                      "write 100ms, 2s or 1.5min");
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(*time));
}

}  // namespace stowplan::cli
