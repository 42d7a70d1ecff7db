// SPDX-License-Identifier: Apache-2.0
//
// The two sides of a tiled product: weights of any type as rows of floats or
// 16-bit integers, and patches of an image as rows.
#pragma once

#include <cstdint>

#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/reference/window.h"

namespace stowplan::kernels::reference {

// The two's complement value of nibble `i`, the low one of a byte first.
inline int16_t NibbleAt(const std::byte* data, int64_t i) {
  const auto byte = static_cast<uint8_t>(data[i / 2]);
  const int nibble = i % 2 == 0 ? byte & 0xF : byte >> 4;
  return static_cast<int16_t>((nibble ^ 8) - 8);
}
// The same for elements of two bits.
inline int16_t CrumbAt(const std::byte* data, int64_t i) {
  const auto byte = static_cast<uint8_t>(data[i / 4]);
  const int crumb = byte >> (2 * (i % 4)) & 3;
  return static_cast<int16_t>((crumb ^ 2) - 2);
}

// Rows of `depth` integer weights, widened to 16 bits, less the zero point.
class IntegerRows {
 public:
  IntegerRows(const Tensor& weights, int64_t depth, int64_t first_row = 0)
      : data_(weights.data),
        type_(weights.type),
        zero_points_(weights.quantization.zero_points),
        depth_(depth),
        first_row_(first_row) {}

  const int16_t* operator()(int64_t row, int64_t begin, int64_t end,
                            int16_t* buffer) const {
    row += first_row_;
    const int64_t from = row * depth_ + begin;
    const int64_t size = end - begin;
    const auto zero = static_cast<int16_t>(ZeroPointOf(row));
    if (type_ == Type::kInt8) {
      const auto* values = reinterpret_cast<const int8_t*>(data_) + from;
      for (int64_t i = 0; i < size; ++i) {
        buffer[i] = static_cast<int16_t>(values[i] - zero);
      }
    } else if (type_ == Type::kUInt8) {
      const auto* values = reinterpret_cast<const uint8_t*>(data_) + from;
      for (int64_t i = 0; i < size; ++i) {
        buffer[i] = static_cast<int16_t>(values[i] - zero);
      }
    } else if (type_ == Type::kInt4) {
      for (int64_t i = 0; i < size; ++i) buffer[i] = NibbleAt(data_, from + i);
    } else {
      for (int64_t i = 0; i < size; ++i) buffer[i] = CrumbAt(data_, from + i);
    }
    return buffer;
  }

 private:
  int64_t ZeroPointOf(int64_t row) const {
    if (zero_points_.empty()) return 0;
    return zero_points_.size() == 1 ? zero_points_[0]
                                    : zero_points_[static_cast<size_t>(row)];
  }

  const std::byte* data_;
  Type type_;
  std::span<const int64_t> zero_points_;
  int64_t depth_;
  int64_t first_row_;
};

// Rows of `depth` floats, where they lie.
class FloatRows {
 public:
  FloatRows(const float* data, int64_t depth) : data_(data), depth_(depth) {}

  const float* operator()(int64_t row, int64_t begin, int64_t, float*) const {
    return data_ + row * depth_ + begin;
  }

 private:
  const float* data_;
  int64_t depth_;
};

// Rows of integers of type T, less a zero point.
template <class T>
class ShiftedRows {
 public:
  ShiftedRows(const T* data, int64_t depth, int32_t zero)
      : data_(data), depth_(depth), zero_(zero) {}

  const int16_t* operator()(int64_t row, int64_t begin, int64_t end,
                            int16_t* buffer) const {
    const T* from = data_ + row * depth_ + begin;
    for (int64_t i = 0; i < end - begin; ++i) {
      buffer[i] = static_cast<int16_t>(from[i] - zero_);
    }
    return buffer;
  }

 private:
  const T* data_;
  int64_t depth_;
  int32_t zero_;
};

// The patch under each output pixel, tap by tap; taps outside are zero.
// `convert(batch, value)` turns an element of the image into an E. Taps of a
// patch read `channels` channels from `first_channel` on.
template <class T, class E, class Convert>
class Patches {
 public:
  Patches(const T* image, const Window& window, int64_t channels,
          int64_t first_channel, const Convert& convert)
      : image_(image + first_channel),
        window_(window),
        channels_(channels),
        convert_(convert) {}

  const E* operator()(int64_t pixel, int64_t begin, int64_t end,
                      E* buffer) const {
    const Window& w = window_;
    const int64_t row = pixel / w.output_width;
    const int64_t x0 = pixel % w.output_width * w.stride_x - w.left;
    const int64_t y0 = row % w.output_height * w.stride_y - w.top;
    const int64_t batch = row / w.output_height;
    const T* image =
        image_ + batch * w.input_height * w.input_width * w.input_channels;
    int64_t tap_y = begin / channels_ / w.width;
    int64_t tap_x = begin / channels_ % w.width;
    int64_t channel = begin % channels_;
    for (int64_t k = begin; k < end;) {
      const int64_t size = std::min(channels_ - channel, end - k);
      Copy(image, batch, y0 + tap_y * w.dilation_y, x0 + tap_x * w.dilation_x,
           channel, size, buffer + (k - begin));
      k += size;
      channel = 0;
      if (++tap_x == w.width) {
        tap_x = 0;
        ++tap_y;
      }
    }
    return buffer;
  }

 private:
  void Copy(const T* image, int64_t batch, int64_t y, int64_t x,
            int64_t channel, int64_t size, E* to) const {
    const Window& w = window_;
    if (y < 0 || y >= w.input_height || x < 0 || x >= w.input_width) {
      for (int64_t i = 0; i < size; ++i) to[i] = E{0};
      return;
    }
    const T* from =
        image + (y * w.input_width + x) * w.input_channels + channel;
    for (int64_t i = 0; i < size; ++i) to[i] = convert_(batch, from[i]);
  }

  const T* image_;
  Window window_;
  int64_t channels_;
  Convert convert_;
};

}  // namespace stowplan::kernels::reference
