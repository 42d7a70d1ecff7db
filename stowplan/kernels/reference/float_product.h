// SPDX-License-Identifier: Apache-2.0
//
// Sums of products of floats, added in the order in which LiteRT's matrix
// product adds them on machines without a fused multiply-add, so that results
// are equal to the bit on most shapes: element by element along the depth; or,
// where one side is a single vector, in four lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {

// Four floats that a compiler keeps in a register.
using Quad = float __attribute__((vector_size(16)));

inline Quad LoadQuad(const float* from) {
  Quad quad;
  std::memcpy(&quad, from, sizeof(quad));
  return quad;
}
inline void StoreQuad(Quad quad, float* to) {
  std::memcpy(to, &quad, sizeof(quad));
}

// sums[c][r] += across[k][r] * weights[c][k] for kWidth rows r, kTogether
// channels c and each k below `size` in its order.
template <int64_t kWidth, int64_t kTogether>
void AddAcross(const float* across, const float* const* weights, int64_t size,
               float* sums) {
  constexpr int64_t kQuads = kWidth / 4;
  Quad lanes[kTogether][kQuads];
  for (int64_t c = 0; c < kTogether; ++c) {
    for (int64_t q = 0; q < kQuads; ++q) {
      lanes[c][q] = LoadQuad(sums + c * kWidth + 4 * q);
    }
  }
  for (int64_t k = 0; k < size; ++k) {
    for (int64_t q = 0; q < kQuads; ++q) {
      const Quad rows = LoadQuad(across + k * kWidth + 4 * q);
      for (int64_t c = 0; c < kTogether; ++c) {
        lanes[c][q] += rows * weights[c][k];
      }
    }
  }
  for (int64_t c = 0; c < kTogether; ++c) {
    for (int64_t q = 0; q < kQuads; ++q) {
      StoreQuad(lanes[c][q], sums + c * kWidth + 4 * q);
    }
  }
}

// The elements of up to kWidth rows side by side, so that the inner loop runs
// over contiguous memory: to[k * kWidth + r] = row r's element begin + k, 0
// for rows from `height` on.
template <int64_t kWidth, class Left>
void LoadAcross(const Left& left, int64_t row, int64_t height, int64_t begin,
                int64_t end, float* to) {
  alignas(64) float buffer[kTileDepth];
  for (int64_t r = 0; r < kWidth; ++r) {
    if (r >= height) {
      for (int64_t k = 0; k < end - begin; ++k) to[k * kWidth + r] = 0.0f;
      continue;
    }
    const float* from = left(row + r, begin, end, buffer);
    for (int64_t k = 0; k < end - begin; ++k) to[k * kWidth + r] = from[k];
  }
}

// Elements that are added up before their sum joins the others: a depth of
// more than 1,016 is cut in parts of about the same size, a multiple of 8, as
// in Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
// section 4, for a first-level cache of 48 KiB.
inline int64_t PartOfDepth(int64_t depth) {
  constexpr int64_t kMost = 1016;
  if (depth <= kMost || depth % kMost == 0) return std::min(depth, kMost);
  const int64_t parts = depth / kMost + 1;
  return kMost - 8 * ((kMost - 1 - depth % kMost) / (8 * parts));
}

template <int64_t kWidth, class Left, class Right, class Sink>
void ProductAcross(int64_t rows, int64_t channels, int64_t depth,
                   const Left& left, const Right& right, const Sink& sink) {
  alignas(64) float across[kTileDepth * kWidth];
  alignas(64) float buffers[2][kTileDepth];
  alignas(64) float sums[kTileChannels * kWidth];
  alignas(64) float totals[kTileChannels * kWidth];
  const int64_t part = PartOfDepth(depth);
  for (int64_t row = 0; row < rows; row += kWidth) {
    const int64_t height = std::min(kWidth, rows - row);
    for (int64_t channel = 0; channel < channels; channel += kTileChannels) {
      const int64_t width = std::min(kTileChannels, channels - channel);
      const auto add = [&](int64_t k, int64_t end) {
        // One tile deep: the rows are there from the channels before.
        if (channel == 0 || depth > kTileDepth) {
          LoadAcross<kWidth>(left, row, height, k, end, across);
        }
        for (int64_t c = 0; c < width; c += 2) {
          const float* weights[2];
          const int64_t together = std::min<int64_t>(2, width - c);
          for (int64_t i = 0; i < together; ++i) {
            weights[i] = right(channel + c + i, k, end, buffers[i]);
          }
          float* into = sums + c * kWidth;
          together == 2 ? AddAcross<kWidth, 2>(across, weights, end - k, into)
                        : AddAcross<kWidth, 1>(across, weights, end - k, into);
        }
      };
      std::fill_n(totals, width * kWidth, 0.0f);
      for (int64_t begin = 0; begin < depth; begin += part) {
        const int64_t end = std::min(begin + part, depth);
        std::fill_n(sums, width * kWidth, 0.0f);
        for (int64_t k = begin; k < end; k += kTileDepth) {
          add(k, std::min(k + kTileDepth, end));
        }
        for (int64_t i = 0; i < width * kWidth; ++i) totals[i] += sums[i];
      }
      for (int64_t c = 0; c < width; ++c) {
        sink(channel + c, row, height, totals + c * kWidth);
      }
    }
  }
}

inline float SumOfLanes(Quad lanes) {
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

// put(i, sum) for each of `count` rows times a vector: sums of every fourth
// product, then of the four. Four rows at a time, so that they need not wait
// for each other.
template <class Rows, class Vector, class Put>
void ProductAlong(int64_t count, int64_t depth, const Rows& rows,
                  const Vector& vector, const Put& put) {
  constexpr int64_t kTogether = 4;
  alignas(64) float buffers[kTogether + 1][kTileDepth];
  for (int64_t first = 0; first < count; first += kTogether) {
    const int64_t together = std::min(kTogether, count - first);
    Quad lanes[kTogether] = {};
    float rest[kTogether] = {};
    for (int64_t k = 0; k < depth; k += kTileDepth) {
      const int64_t end = std::min(k + kTileDepth, depth);
      const float* with = vector(k, end, buffers[kTogether]);
      const float* row[kTogether] = {with, with, with, with};
      for (int64_t i = 0; i < together; ++i) {
        row[i] = rows(first + i, k, end, buffers[i]);
      }
      int64_t at = 0;
      for (; at + 4 <= end - k; at += 4) {
        const Quad factor = LoadQuad(with + at);
        for (int64_t i = 0; i < kTogether; ++i) {
          lanes[i] += LoadQuad(row[i] + at) * factor;
        }
      }
      for (; at < end - k; ++at) {
        for (int64_t i = 0; i < kTogether; ++i) {
          rest[i] += row[i][at] * with[at];
        }
      }
    }
    for (int64_t i = 0; i < together; ++i) {
      put(first + i, SumOfLanes(lanes[i]) + rest[i]);
    }
  }
}

// A vector times a vector: four such sums in turn.
template <class Left, class Right>
float VectorProduct(int64_t depth, const Left& left, const Right& right) {
  alignas(64) float buffers[2][kTileDepth];
  Quad lanes[4] = {};
  float rest = 0.0f;
  for (int64_t k = 0; k < depth; k += kTileDepth) {
    const int64_t end = std::min(k + kTileDepth, depth);
    const float* a = left(0, k, end, buffers[0]);
    const float* b = right(0, k, end, buffers[1]);
    int64_t at = 0;
    for (; at + 16 <= end - k; at += 16) {
      for (int64_t i = 0; i < 4; ++i) {
        lanes[i] += LoadQuad(a + at + 4 * i) * LoadQuad(b + at + 4 * i);
      }
    }
    for (; at < end - k; ++at) rest += a[at] * b[at];
  }
  return SumOfLanes((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + rest;
}

// As TiledProduct, for floats. O(rows * channels * depth).
template <class Left, class Right, class Sink>
void FloatProduct(int64_t rows, int64_t channels, int64_t depth,
                  const Left& left, const Right& right, const Sink& sink) {
  if (rows == 1 && channels == 1) {
    const float sum = VectorProduct(depth, left, right);
    sink(0, 0, 1, &sum);
  } else if (rows == 1) {
    ProductAlong(
        channels, depth, right,
        [&](int64_t k, int64_t end, float* to) { return left(0, k, end, to); },
        [&](int64_t channel, float sum) { sink(channel, 0, 1, &sum); });
  } else if (channels == 1) {
    ProductAlong(
        rows, depth, left,
        [&](int64_t k, int64_t end, float* to) { return right(0, k, end, to); },
        [&](int64_t row, float sum) { sink(0, row, 1, &sum); });
  } else if (rows <= 4) {
    ProductAcross<4>(rows, channels, depth, left, right, sink);
  } else {
    ProductAcross<16>(rows, channels, depth, left, right, sink);
  }
}

}  // namespace stowplan::kernels::reference
