// SPDX-License-Identifier: Apache-2.0
//
// Numbers for people. Integer arithmetic only, so that every machine prints
// the same digits.
#pragma once

#include <cstdint>
#include <string>

#include "stowplan/base/bytes.h"

namespace stowplan::report {

// Three digits and a binary unit: "64 B", "1.50 KiB", "46.9 MiB". Halves are
// rounded up.
std::string HumanBytes(Bytes bytes);

// Thousands separated: "4,915,200".
std::string Grouped(int64_t number);

// "4,915,200 B".
std::string ExactBytes(Bytes bytes);

// Both: "4.69 MiB (4,915,200 B)"; below 1 KiB just "64 B".
std::string BothBytes(Bytes bytes);

// The same with a sign, for differences: "+800 KiB (819,200 B)", "-64 B",
// "no change".
std::string SignedBytes(Bytes difference);

// "57 %", below 10 % with a decimal: "4.2 %", "0.0 %" for nothing or for a
// share of nothing. REQUIRES: 0 <= part, 0 <= whole.
std::string Percent(Bytes part, Bytes whole);

// part / whole in ten-thousandths, rounded; 0 for a share of nothing.
// REQUIRES: 0 <= part, 0 <= whole.
int64_t BasisPoints(Bytes part, Bytes whole);

// A decimal number from its hundredths, without trailing zeros: 1250 is
// "12.5".
std::string FromHundredths(int64_t hundredths);

// value * numerator / denominator, rounded to the nearest, without overflow
// on the way. REQUIRES: all >= 0, denominator > 0, the result fits.
int64_t Scale(int64_t value, int64_t numerator, int64_t denominator);

// "1 tensor", "3 tensors".
std::string Count(int64_t number, const std::string& noun);

}  // namespace stowplan::report
