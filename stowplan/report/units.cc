// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/units.h"

#include <array>
#include <cstdlib>
#include <string_view>

namespace stowplan::report {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array<std::string_view, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                    "TiB", "PiB", "EiB"};

// `number` / 10^decimals with exactly that many decimals.
std::string Fixed(int64_t number, size_t decimals) {
  std::string digits = std::to_string(number);
  if (decimals == 0) return digits;
  if (digits.size() <= decimals) {
    digits.insert(0, decimals + 1 - digits.size(), '0');
  }
  digits.insert(digits.size() - decimals, ".");
  return digits;
}

}  // namespace

int64_t Scale(int64_t value, int64_t numerator, int64_t denominator) {
  const Wide product = static_cast<Wide>(value) * static_cast<Wide>(numerator) +
                       static_cast<Wide>(denominator / 2);
  return static_cast<int64_t>(product / static_cast<Wide>(denominator));
}

std::string HumanBytes(Bytes bytes) {
  if (bytes < 0) return "-" + HumanBytes(-bytes);
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >> (10 * (unit + 1)) != 0) ++unit;
  if (unit == 0) return std::to_string(bytes) + " B";
  // Three digits: as many decimals as the rounded number leaves room for.
  const int64_t one = int64_t{1} << (10 * unit);
  std::string number;
  if (const int64_t hundredths = Scale(bytes, 100, one); hundredths < 1000) {
    number = Fixed(hundredths, 2);
  } else if (const int64_t tenths = Scale(bytes, 10, one); tenths < 1000) {
    number = Fixed(tenths, 1);
  } else {
    const int64_t whole = Scale(bytes, 1, one);
    if (whole == 1024 && unit + 1 < kUnits.size()) {
      return "1.00 " + std::string(kUnits[unit + 1]);
    }
    number = std::to_string(whole);
  }
  return number + " " + std::string(kUnits[unit]);
}

std::string Grouped(int64_t number) {
  if (number < 0) return "-" + Grouped(-number);
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string ExactBytes(Bytes bytes) { return Grouped(bytes) + " B"; }

std::string BothBytes(Bytes bytes) {
  if (std::abs(bytes) < 1024) return ExactBytes(bytes);
  return HumanBytes(bytes) + " (" + ExactBytes(bytes) + ")";
}

std::string SignedBytes(Bytes difference) {
  if (difference == 0) return "no change";
  return (difference < 0 ? "-" : "+") + BothBytes(std::abs(difference));
}

int64_t BasisPoints(Bytes part, Bytes whole) {
  return whole == 0 ? 0 : Scale(part, 10000, whole);
}

std::string Percent(Bytes part, Bytes whole) {
  if (whole == 0) return "0.0 %";
  const int64_t tenths = Scale(part, 1000, whole);
  if (tenths < 100) return Fixed(tenths, 1) + " %";
  return std::to_string(Scale(part, 100, whole)) + " %";
}

std::string FromHundredths(int64_t hundredths) {
  if (hundredths < 0) return "-" + FromHundredths(-hundredths);
  std::string text = Fixed(hundredths, 2);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string Count(int64_t number, const std::string& noun) {
  return Grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace stowplan::report
