// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/window.h"

#include <algorithm>

#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {

Window WindowOf(const Node& node, const Tensor& input, const Tensor& output,
                int64_t height, int64_t width) {
  Window window;
  window.batches = output.shape[0];
  window.input_height = input.shape[1];
  window.input_width = input.shape[2];
  window.input_channels = input.shape[3];
  window.output_height = output.shape[1];
  window.output_width = output.shape[2];
  window.output_channels = output.shape[3];
  window.height = height;
  window.width = width;
  window.stride_y = node.options.Int("stride_h", 1);
  window.stride_x = node.options.Int("stride_w", 1);
  window.dilation_y = node.options.Int("dilation_h_factor", 1);
  window.dilation_x = node.options.Int("dilation_w_factor", 1);
  const bool same = IsSame(node);
  window.top = PaddingBefore(same, window.input_height, window.output_height,
                             height, window.stride_y, window.dilation_y);
  window.left = PaddingBefore(same, window.input_width, window.output_width,
                              width, window.stride_x, window.dilation_x);
  return window;
}

Taps TapsInside(int64_t start, int64_t size, int64_t dilation, int64_t input) {
  const int64_t begin =
      start >= 0 ? 0 : std::min(size, (-start + dilation - 1) / dilation);
  const int64_t room = input - start;  // Positions from the first tap on.
  const int64_t end =
      room <= 0
          ? begin
          : std::max(begin, std::min(size, (room + dilation - 1) / dilation));
  return {begin, end};
}

Status CheckWindow(const Node& node, const Tensor& input) {
  if (input.shape.rank != 4 || node.output().shape.rank != 4) {
    return Unsupported(node, "the image has not four dimensions");
  }
  for (const char* name :
       {"stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor"}) {
    if (node.options.Int(name, 1) < 1) {
      return Unsupported(node, std::string(name) + " is not positive");
    }
  }
  return {};
}

}  // namespace stowplan::kernels::reference
