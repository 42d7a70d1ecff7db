// SPDX-License-Identifier: Apache-2.0
//
// The geometry of sliding windows over images in NHWC order.
#pragma once

#include <cstdint>

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

struct Window {
  int64_t batches = 0;
  int64_t input_height = 0, input_width = 0, input_channels = 0;
  int64_t output_height = 0, output_width = 0, output_channels = 0;
  int64_t height = 1, width = 1;  // Of the window.
  int64_t stride_y = 1, stride_x = 1;
  int64_t dilation_y = 1, dilation_x = 1;
  int64_t top = 0, left = 0;  // Padding before the image.

  int64_t output_pixels() const {
    return batches * output_height * output_width;
  }
};

// The window of a convolution or of pooling with `height` by `width` taps,
// strides, dilations and padding from the options.
Window WindowOf(const Node& node, const Tensor& input, const Tensor& output,
                int64_t height, int64_t width);

// The taps [begin, end) of `size` that fall inside [0, input) when the first
// lies at `start`.
struct Taps {
  int64_t begin = 0;
  int64_t end = 0;
};
Taps TapsInside(int64_t start, int64_t size, int64_t dilation, int64_t input);

// Errors unless input and output have four dimensions and the strides and
// dilations are positive.
Status CheckWindow(const Node& node, const Tensor& input);

}  // namespace stowplan::kernels::reference
