// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/pooling.h"

#include <cmath>

#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/reference/window.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {
namespace {

constexpr int64_t kBlock = 256;

// For each output pixel and block of channels: `start` fills the sums,
// `add(sums, image pixel, count)` is called for each pixel of the window
// inside the image, and `store(out, sums, count, pixels)` takes the result.
template <class T, class Sum, class Add, class Store>
void ForEachWindow(const Node& node, Sum start, const Add& add,
                   const Store& store) {
  const Window w = WindowOf(node, *node.input(0), node.output(),
                            node.options.Int("filter_height", 1),
                            node.options.Int("filter_width", 1));
  const int64_t channels = w.input_channels;
  Sum sums[kBlock];
  for (int64_t pixel = 0; pixel < w.output_pixels(); ++pixel) {
    const int64_t row = pixel / w.output_width;
    const int64_t y0 = row % w.output_height * w.stride_y - w.top;
    const int64_t x0 = pixel % w.output_width * w.stride_x - w.left;
    const T* image = node.input(0)->As<T>() + row / w.output_height *
                                                  w.input_height *
                                                  w.input_width * channels;
    const Taps ys = TapsInside(y0, w.height, 1, w.input_height);
    const Taps xs = TapsInside(x0, w.width, 1, w.input_width);
    const int64_t pixels = (ys.end - ys.begin) * (xs.end - xs.begin);
    for (int64_t first = 0; first < channels; first += kBlock) {
      const int64_t count = std::min(kBlock, channels - first);
      std::fill_n(sums, count, start);
      for (int64_t y = y0 + ys.begin; y < y0 + ys.end; ++y) {
        for (int64_t x = x0 + xs.begin; x < x0 + xs.end; ++x) {
          add(sums, image + (y * w.input_width + x) * channels + first, count);
        }
      }
      store(node.output().As<T>() + pixel * channels + first, sums, count,
            pixels);
    }
  }
}

template <class T>
void AverageIntegers(const Node& node) {
  const IntRange range = ActivationRange(ActivationOf(node), node.output());
  ForEachWindow<T, int32_t>(
      node, 0,
      [](int32_t* sums, const T* from, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          sums[i] = AddWrapped(sums[i], int32_t{from[i]});
        }
      },
      [&](T* to, const int32_t* sums, int64_t count, int64_t pixels) {
        const auto divisor = static_cast<int32_t>(std::max<int64_t>(pixels, 1));
        for (int64_t i = 0; i < count; ++i) {
          const int64_t half = sums[i] > 0 ? divisor / 2 : -(divisor / 2);
          to[i] = static_cast<T>(std::clamp<int64_t>((sums[i] + half) / divisor,
                                                     range.min, range.max));
        }
      });
}

void AverageFloats(const Node& node) {
  const FloatRange range = FloatRangeOf(node);
  ForEachWindow<float, float>(
      node, 0.0f,
      [](float* sums, const float* from, int64_t count) {
        for (int64_t i = 0; i < count; ++i) sums[i] += from[i];
      },
      [&](float* to, const float* sums, int64_t count, int64_t pixels) {
        const auto divisor = static_cast<float>(pixels);
        for (int64_t i = 0; i < count; ++i) {
          to[i] = std::clamp(sums[i] / divisor, range.min, range.max);
        }
      });
}

template <class T, class Range>
void Maximum(const Node& node, T start, const Range& range) {
  ForEachWindow<T, T>(
      node, start,
      [](T* sums, const T* from, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          sums[i] = sums[i] < from[i] ? from[i] : sums[i];
        }
      },
      [&](T* to, const T* sums, int64_t count, int64_t) {
        const T low = static_cast<T>(range.min);
        const T high = static_cast<T>(range.max);
        for (int64_t i = 0; i < count; ++i) {
          to[i] = std::clamp(sums[i], low, high);
        }
      });
}

}  // namespace

Result<Needs> PreparePool(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  STOWPLAN_RETURN_IF_ERROR(CheckWindow(node, *node.input(0)));
  STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  STOWPLAN_RETURN_IF_ERROR(
      CheckType(node, *node.input(0),
                {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt16}));
  if (node.type == "L2_POOL_2D") {
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kFloat32}));
  }
  if (node.output().type != node.input(0)->type) {
    return Unsupported(node, "input and output differ in type");
  }
  if (node.options.Int("filter_height", 0) < 1 ||
      node.options.Int("filter_width", 0) < 1) {
    return Unsupported(node, "the window is empty");
  }
  return Needs{};
}

Status RunAveragePool(const Node& node) {
  switch (node.input(0)->type) {
    case Type::kInt8:
      AverageIntegers<int8_t>(node);
      break;
    case Type::kUInt8:
      AverageIntegers<uint8_t>(node);
      break;
    case Type::kInt16:
      AverageIntegers<int16_t>(node);
      break;
    default:
      AverageFloats(node);
  }
  return {};
}

Status RunMaxPool(const Node& node) {
  if (node.input(0)->type == Type::kFloat32) {
    Maximum<float>(node, std::numeric_limits<float>::lowest(),
                   FloatRangeOf(node));
    return {};
  }
  const IntRange range = ActivationRange(ActivationOf(node), node.output());
  switch (node.input(0)->type) {
    case Type::kInt8:
      Maximum<int8_t>(node, INT8_MIN, range);
      break;
    case Type::kUInt8:
      Maximum<uint8_t>(node, 0, range);
      break;
    default:
      Maximum<int16_t>(node, INT16_MIN, range);
  }
  return {};
}

Status RunL2Pool(const Node& node) {
  const FloatRange range = FloatRangeOf(node);
  ForEachWindow<float, float>(
      node, 0.0f,
      [](float* sums, const float* from, int64_t count) {
        for (int64_t i = 0; i < count; ++i) sums[i] += from[i] * from[i];
      },
      [&](float* to, const float* sums, int64_t count, int64_t pixels) {
        const auto divisor = static_cast<float>(pixels);
        for (int64_t i = 0; i < count; ++i) {
          to[i] =
              std::clamp(std::sqrt(sums[i] / divisor), range.min, range.max);
        }
      });
  return {};
}

}  // namespace stowplan::kernels::reference
