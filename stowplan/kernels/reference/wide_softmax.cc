// SPDX-License-Identifier: Apache-2.0
//
// In 16-bit fixed point with two tables of 513 entries that are interpolated
// between: exp over [-10, 0] and 1 / (1 + x) over [0, 1], as LiteRT's.
#include "stowplan/kernels/reference/wide_softmax.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

constexpr size_t kEntries = 513;
using Table = std::array<int16_t, kEntries>;

// Entries of [min, max], each corrected by half of what a straight line
// between it and the next is off in the middle.
template <class Function>
Table MakeTable(double min, double max, const Function& function) {
  Table table;
  constexpr double kSteps = kEntries - 1;
  const double step = (max - min) / kSteps;
  const auto sample = [&](double x) {
    return std::round(function(x) * 32768.0);
  };
  for (size_t i = 0; i + 1 < kEntries; ++i) {
    const double x = min + static_cast<double>(i) * step;
    const double here = sample(x);
    const double middle =
        std::round((function(x + step) * 32768.0 + here) / 2.0);
    const double exact = sample(x + step / 2.0);
    const double bias = std::round((middle - exact) / 2.0);
    table[i] = static_cast<int16_t>(std::clamp(here - bias, -32768.0, 32767.0));
  }
  table[kEntries - 1] =
      static_cast<int16_t>(std::clamp(sample(max), -32768.0, 32767.0));
  return table;
}

const Table& ExpTable() {
  static const Table kTable =
      MakeTable(-10.0, 0.0, [](double x) { return std::exp(x); });
  return kTable;
}

const Table& InverseTable() {
  static const Table kTable =
      MakeTable(0.0, 1.0, [](double x) { return 1.0 / (1.0 + x); });
  return kTable;
}

int16_t LookUp(const Table& table, int16_t x) {
  const auto index = static_cast<size_t>(256 + (x >> 7));
  const int32_t offset = x & 0x7F;
  const int32_t base = table[index];
  const int32_t slope = table[index + 1] - base;
  return static_cast<int16_t>(base + ((slope * offset + 64) >> 7));
}

// exp(input - max) in 15 bits of fraction.
int16_t Exponential(int32_t difference, FixedPoint scale) {
  const int32_t scaled = Multiply(difference, scale);
  // From [-10, 0] to the table's [-32768, 32767].
  const int32_t symmetric = scaled + 32767;
  return LookUp(ExpTable(),
                static_cast<int16_t>(std::clamp(symmetric, -32768, 32767)));
}

void Row(const int16_t* from, int16_t* to, int64_t depth, FixedPoint scale) {
  const int32_t max = *std::max_element(from, from + depth);
  int32_t sum = 0;  // 16 bits of fraction.
  for (int64_t i = 0; i < depth; ++i) {
    to[i] = Exponential(from[i] - max, scale);
    sum += to[i];
  }
  // sum = (1 + x) * 2^headroom with x in [0, 1).
  const int headroom = std::countl_zero(static_cast<uint32_t>(sum));
  const int32_t shifted =
      ((static_cast<int32_t>(static_cast<uint32_t>(sum) << (headroom - 1))) -
       (1 << 30) + (1 << 13)) >>
      14;
  const int32_t symmetric = shifted - 32768;
  const int32_t inverse =
      LookUp(InverseTable(),
             static_cast<int16_t>(std::clamp(symmetric, -32768, 32767)));
  const int right = 31 - headroom;
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t round = 1 << (right - 1);
    const int32_t product = (to[i] * inverse + round) >> right;
    to[i] = static_cast<int16_t>(std::clamp(product, 0, 32767));
  }
}

}  // namespace

void WideSoftmax(const Node& node) {
  const double scale = double{node.input(0)->quantization.scale()} *
                       double{node.options.Float("beta", 1.0f)};
  // 10 is 65535 steps.
  const FixedPoint fixed = ToFixedPoint(scale / (10.0 / 65535.0));
  const int64_t depth = node.output().shape.last();
  const int64_t rows = depth == 0 ? 0 : node.output().shape.elements() / depth;
  const auto* from = node.input(0)->As<int16_t>();
  auto* to = node.output().As<int16_t>();
  for (int64_t r = 0; r < rows; ++r) {
    Row(from + r * depth, to + r * depth, depth, fixed);
  }
}

}  // namespace stowplan::kernels::reference
