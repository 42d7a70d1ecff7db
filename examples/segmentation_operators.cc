// SPDX-License-Identifier: Apache-2.0
#include "examples/segmentation_operators.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace stowplan::examples {
namespace {

using kernels::Needs;
using kernels::Node;
using kernels::Tensor;
using kernels::Type;
using kernels::Unsupported;

constexpr int32_t kSame = 1;

// The options are 32-bit numbers one after the other: padding (1 is SAME, 2
// VALID), stride across and down, and for pooling the window across and down.
struct Window {
  int32_t padding = 0;
  int32_t stride_x = 1;
  int32_t stride_y = 1;
  int32_t width = 1;
  int32_t height = 1;
};

Result<Window> ReadWindow(const Node& node, size_t numbers) {
  Window window;
  const size_t bytes = numbers * sizeof(int32_t);
  if (node.custom_options.size() < bytes) {
    return Unsupported(node, "its options are too short");
  }
  std::memcpy(&window, node.custom_options.data(), bytes);
  if ((window.padding != kSame && window.padding != 2) || window.stride_x < 1 ||
      window.stride_y < 1 || window.width < 1 || window.height < 1) {
    return Unsupported(node, "its options make no sense");
  }
  return window;
}

Status CheckTensors(const Node& node, size_t inputs, size_t outputs) {
  if (node.inputs.size() != inputs || node.outputs.size() != outputs) {
    return Unsupported(node, "it has not the operands that it takes");
  }
  for (const auto& tensors : {node.inputs, node.outputs}) {
    for (const Tensor* tensor : tensors) {
      if (tensor == nullptr || tensor->type != Type::kFloat32) {
        return Unsupported(node, "it takes float32 only");
      }
    }
  }
  if (node.input(0)->shape.rank != 4 || node.output().shape.rank != 4 ||
      node.input(0)->shape[0] != node.output().shape[0]) {
    return Unsupported(node, "it takes batches of images");
  }
  return {};
}

// What SAME adds before the first element; nothing is added for VALID.
// `small` is the extent on the side where a step is one element.
int64_t PadBefore(int32_t padding, int64_t small, int64_t large, int64_t stride,
                  int64_t window) {
  if (padding != kSame) return 0;
  return std::max<int64_t>(0, (small - 1) * stride + window - large) / 2;
}

Result<Needs> PrepareTranspose(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckTensors(node, 3, 1));
  STOWPLAN_RETURN_IF_ERROR(ReadWindow(node, 3));
  const kernels::Shape& filter = node.input(1)->shape;
  if (filter.rank != 4 || filter[3] != node.input(0)->shape[3] ||
      filter[0] != node.output().shape[3] ||
      node.input(2)->shape.elements() != filter[0]) {
    return Unsupported(node, "filter, bias and images do not match");
  }
  return Needs{};
}

// Every output once: the input elements whose stamp reaches it. Filters are
// [out, height, width, in].
Status RunTranspose(const Node& node) {
  STOWPLAN_TRY(window, ReadWindow(node, 3));
  const kernels::Shape& in = node.input(0)->shape;
  const kernels::Shape& out = node.output().shape;
  const kernels::Shape& filter = node.input(1)->shape;
  const int64_t top =
      PadBefore(window.padding, in[1], out[1], window.stride_y, filter[1]);
  const int64_t left =
      PadBefore(window.padding, in[2], out[2], window.stride_x, filter[2]);
  const auto* image = node.input(0)->As<float>();
  const auto* weights = node.input(1)->As<float>();
  const auto* bias = node.input(2)->As<float>();
  auto* result = node.output().As<float>();
  for (int64_t p = 0; p < out[0] * out[1] * out[2]; ++p, result += out[3]) {
    const int64_t batch = p / (out[1] * out[2]);
    const int64_t y = p / out[2] % out[1] + top;
    const int64_t x = p % out[2] + left;
    std::copy_n(bias, out[3], result);
    for (int64_t ky = y % window.stride_y; ky < filter[1];
         ky += window.stride_y) {
      const int64_t in_y = (y - ky) / window.stride_y;
      if (y < ky || in_y >= in[1]) continue;
      for (int64_t kx = x % window.stride_x; kx < filter[2];
           kx += window.stride_x) {
        const int64_t in_x = (x - kx) / window.stride_x;
        if (x < kx || in_x >= in[2]) continue;
        const float* pixel =
            image + ((batch * in[1] + in_y) * in[2] + in_x) * in[3];
        for (int64_t o = 0; o < out[3]; ++o) {
          const float* row =
              weights + ((o * filter[1] + ky) * filter[2] + kx) * in[3];
          for (int64_t c = 0; c < in[3]; ++c) result[o] += pixel[c] * row[c];
        }
      }
    }
  }
  return {};
}

Result<Needs> PreparePooling(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckTensors(node, 1, 2));
  STOWPLAN_RETURN_IF_ERROR(ReadWindow(node, 5));
  if (node.output(0).shape != node.output(1).shape ||
      node.input(0)->shape[3] != node.output().shape[3]) {
    return Unsupported(node, "maxima and positions do not match");
  }
  return Needs{};
}

// Positions count inside the window, row by row, as floats.
Status RunPooling(const Node& node) {
  STOWPLAN_TRY(window, ReadWindow(node, 5));
  const kernels::Shape& in = node.input(0)->shape;
  const kernels::Shape& out = node.output().shape;
  const int64_t top =
      PadBefore(window.padding, out[1], in[1], window.stride_y, window.height);
  const int64_t left =
      PadBefore(window.padding, out[2], in[2], window.stride_x, window.width);
  const auto* image = node.input(0)->As<float>();
  for (int64_t i = 0; i < out.elements(); ++i) {
    const int64_t c = i % out[3];
    const int64_t x = i / out[3] % out[2] * window.stride_x - left;
    const int64_t y = i / (out[3] * out[2]) % out[1] * window.stride_y - top;
    const int64_t batch = i / (out[3] * out[2] * out[1]);
    float largest = 0;
    int64_t position = -1;
    for (int64_t k = 0; k < int64_t{window.height} * window.width; ++k) {
      const int64_t in_y = y + k / window.width;
      const int64_t in_x = x + k % window.width;
      if (in_y < 0 || in_y >= in[1] || in_x < 0 || in_x >= in[2]) continue;
      const float value =
          image[((batch * in[1] + in_y) * in[2] + in_x) * in[3] + c];
      if (position >= 0 && !(value > largest)) continue;
      largest = value;
      position = k;
    }
    node.output(0).As<float>()[i] = largest;
    node.output(1).As<float>()[i] =
        static_cast<float>(std::max<int64_t>(position, 0)) + 0.1f;
  }
  return {};
}

Result<Needs> PrepareUnpooling(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckTensors(node, 2, 1));
  STOWPLAN_RETURN_IF_ERROR(ReadWindow(node, 5));
  if (node.input(0)->shape != node.input(1)->shape ||
      node.input(0)->shape[3] != node.output().shape[3]) {
    return Unsupported(node, "values and positions do not match");
  }
  return Needs{};
}

Status RunUnpooling(const Node& node) {
  STOWPLAN_TRY(window, ReadWindow(node, 5));
  const kernels::Shape& in = node.input(0)->shape;
  const kernels::Shape& out = node.output().shape;
  const int64_t top =
      PadBefore(window.padding, in[1], out[1], window.stride_y, window.height);
  const int64_t left =
      PadBefore(window.padding, in[2], out[2], window.stride_x, window.width);
  auto* result = node.output().As<float>();
  std::fill_n(result, out.elements(), 0.0f);
  for (int64_t i = 0; i < in.elements(); ++i) {
    const float position = node.input(1)->As<float>()[i];
    // A position that is not in the window goes nowhere.
    if (!(position >= 0 && position < 1e6f)) continue;
    const auto k = static_cast<int64_t>(position);
    const int64_t x =
        i / in[3] % in[2] * window.stride_x - left + k % window.width;
    const int64_t y =
        i / (in[3] * in[2]) % in[1] * window.stride_y - top + k / window.width;
    const int64_t batch = i / (in[3] * in[2] * in[1]);
    if (y < 0 || y >= out[1] || x < 0 || x >= out[2]) continue;
    result[((batch * out[1] + y) * out[2] + x) * out[3] + i % in[3]] =
        node.input(0)->As<float>()[i];
  }
  return {};
}

}  // namespace

Status AddSegmentationOperators(kernels::Registry* registry) {
  for (const kernels::Kernel& kernel : {
           kernels::Kernel{.type = "Convolution2DTransposeBias",
          .prepare = PrepareTranspose,
          .run = RunTranspose},
           kernels::Kernel{.type = "MaxPoolingWithArgmax2D",
           .prepare = PreparePooling,
           .run = RunPooling},
           kernels::Kernel{.type = "MaxUnpooling2D",
           .prepare = PrepareUnpooling,
           .run = RunUnpooling},
       }) {
    STOWPLAN_RETURN_IF_ERROR(registry->Add(kernel));
  }
  return {};
}

}  // namespace stowplan::examples
