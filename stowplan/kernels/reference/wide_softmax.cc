// SPDX-License-Identifier: Apache-2.0
//
// In 16-bit fixed point with two tables of 513 entries that are interpolated
// between: exp over [-10, 0] and 1 / (1 + x) over [0, 1], as LiteRT's.
#include "stowplan/kernels/reference/wide_softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "stowplan/kernels/reference/table16.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

constexpr double kFifteenBits = 32768.0;

const Table16& ExpTable() {
  static const Table16 kTable = Table16::Of(
      -10.0, 0.0, kFifteenBits, [](double x) { return std::exp(x); });
  return kTable;
}

const Table16& InverseTable() {
  static const Table16 kTable = Table16::Of(
      0.0, 1.0, kFifteenBits, [](double x) { return 1.0 / (1.0 + x); });
  return kTable;
}

// exp(input - max) in 15 bits of fraction.
int16_t Exponential(int32_t difference, FixedPoint scale) {
  const int32_t scaled = Multiply(difference, scale);
  // From [-10, 0] to the table's [-32768, 32767].
  const int32_t symmetric = AddSaturated(scaled, 32767);
  return ExpTable()[static_cast<int16_t>(std::clamp(symmetric, -32768, 32767))];
}

void Row(const int16_t* from, int16_t* to, int64_t depth, FixedPoint scale) {
  const int32_t max = *std::max_element(from, from + depth);
  int32_t sum = 0;  // 16 bits of fraction.
  for (int64_t i = 0; i < depth; ++i) {
    to[i] = Exponential(from[i] - max, scale);
    sum = AddSaturated(sum, to[i]);
  }
  // sum = (1 + x) * 2^headroom with x in [0, 1).
  const int headroom = std::countl_zero(static_cast<uint32_t>(sum));
  const int32_t shifted =
      ((static_cast<int32_t>(static_cast<uint32_t>(sum) << (headroom - 1))) -
       (1 << 30) + (1 << 13)) >>
      14;
  const int32_t symmetric = shifted - 32768;
  const int32_t inverse = InverseTable()[static_cast<int16_t>(
      std::clamp(symmetric, -32768, 32767))];
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
