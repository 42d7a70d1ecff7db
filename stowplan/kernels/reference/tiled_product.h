// SPDX-License-Identifier: Apache-2.0
//
// Sums of products over long rows, the heart of convolutions and matrix
// products: result[row][channel] = sum over k of left[row][k] * right[channel]
// [k].
//
// Works in tiles that fit on the stack, so that no kernel needs an image of
// all patches (im2col) in memory: the elements of kRows rows are widened once
// for kChannels channels, and those of a channel once for kRows rows. The
// inner loop is a dot product over contiguous elements, which compilers turn
// into vector code.
//
//            k0       k0 + kDepth
//   rows  +---+--------+-----+        +---+ channels
//         |   | widened|     |   *    |   |  one widened at a time
//         +---+--------+-----+        +---+
#pragma once

#include <algorithm>
#include <cstdint>

#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileChannels = 64;
constexpr int64_t kTileDepth = 256;

// In sixteen lanes: faster and more exact than one running sum.
inline float Dot(const float* a, const float* b, int64_t size) {
  constexpr int64_t kLanes = 16;
  float lanes[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= size; k += kLanes) {
    for (int64_t i = 0; i < kLanes; ++i) lanes[i] += a[k + i] * b[k + i];
  }
  float sum = 0.0f;
  for (; k < size; ++k) sum += a[k] * b[k];
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return sum + lanes[0];
}

// REQUIRES: the sum fits in 32 bits; it does for 256 products of 16 bits with
// 8 bits or of 9 bits with 9 bits.
inline int32_t Dot(const int16_t* a, const int16_t* b, int64_t size) {
  int32_t sum = 0;
  for (int64_t k = 0; k < size; ++k) sum += int32_t{a[k]} * int32_t{b[k]};
  return sum;
}

// For factors of 16 bits on both sides.
inline int64_t Dot(const int32_t* a, const int32_t* b, int64_t size) {
  int64_t sum = 0;
  for (int64_t k = 0; k < size; ++k) sum += int64_t{a[k]} * b[k];
  return sum;
}

// `left(row, begin, end, buffer)` and `right(channel, begin, end, buffer)`
// give a pointer to elements [begin, end) of type E, which may be `buffer`
// (kTileDepth elements) or memory of their own. `sink(channel, first_row,
// count, sums)` takes the finished sums of rows [first_row, first_row +
// count). Sums over a tile's depth are exact in the result of Dot; over tiles
// they are collected in `Sum`.
template <class E, class Sum, class Left, class Right, class Sink>
void TiledProduct(int64_t rows, int64_t channels, int64_t depth,
                  const Left& left, const Right& right, const Sink& sink) {
  alignas(64) E left_buffer[kTileRows * kTileDepth];
  alignas(64) E right_buffer[kTileDepth];
  Sum sums[kTileChannels * kTileRows];
  const E* tile[kTileRows];
  for (int64_t row = 0; row < rows; row += kTileRows) {
    const int64_t height = std::min(kTileRows, rows - row);
    for (int64_t channel = 0; channel < channels; channel += kTileChannels) {
      const int64_t width = std::min(kTileChannels, channels - channel);
      std::fill_n(sums, width * kTileRows, Sum{0});
      for (int64_t k = 0; k < depth; k += kTileDepth) {
        const int64_t end = std::min(k + kTileDepth, depth);
        for (int64_t r = 0; r < height; ++r) {
          tile[r] = left(row + r, k, end, left_buffer + r * kTileDepth);
        }
        for (int64_t c = 0; c < width; ++c) {
          const E* weights = right(channel + c, k, end, right_buffer);
          Sum* into = sums + c * kTileRows;
          for (int64_t r = 0; r < height; ++r) {
            into[r] = AddWrapped<Sum>(into[r], Dot(tile[r], weights, end - k));
          }
        }
      }
      for (int64_t c = 0; c < width; ++c) {
        sink(channel + c, row, height, sums + c * kTileRows);
      }
    }
  }
}

}  // namespace stowplan::kernels::reference
