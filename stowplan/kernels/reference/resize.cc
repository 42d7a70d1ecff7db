// SPDX-License-Identifier: Apache-2.0
//
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR over images in NHWC order.
#include <cmath>

#include "stowplan/kernels/reference/pooling.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

struct Grid {
  explicit Grid(const Node& node)
      : in_height(node.input(0)->shape[1]),
        in_width(node.input(0)->shape[2]),
        out_height(node.output().shape[1]),
        out_width(node.output().shape[2]),
        channels(node.output().shape[3]),
        batches(node.output().shape[0]),
        corners(node.options.Flag("align_corners")),
        half_pixels(node.options.Flag("half_pixel_centers")) {}

  int64_t in_height, in_width, out_height, out_width, channels, batches;
  bool corners;
  bool half_pixels;
};

// Input positions in a step of the output.
float StepOf(int64_t in, int64_t out, bool corners) {
  return corners && out > 1
             ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
             : static_cast<float>(in) / static_cast<float>(out);
}

// Between which input positions an output position lies, and how far.
struct Between {
  int64_t low = 0;
  int64_t high = 0;
  float fraction = 0.0f;
};

Between PlaceOf(int64_t position, float step, bool half_pixels, int64_t size) {
  const auto at = static_cast<float>(position);
  const float place = half_pixels ? (at + 0.5f) * step - 0.5f : at * step;
  // Before the first pixel both are the first, and the fraction is negative.
  const float low = std::max(std::floor(place), 0.0f);
  return {std::min(static_cast<int64_t>(low), size - 1),
          std::min(static_cast<int64_t>(std::ceil(place)), size - 1),
          place - low};
}

// Also for uint8, whose LiteRT kernel is older than the one below.
template <class T>
Status BilinearFloats(const Node& node, const Grid& g) {
  constexpr float kRound = std::is_same_v<T, float> ? 0.0f : 0.5f;
  const float step_y = StepOf(g.in_height, g.out_height, g.corners);
  const float step_x = StepOf(g.in_width, g.out_width, g.corners);
  const T* image = node.input(0)->As<T>();
  T* to = node.output().As<T>();
  for (int64_t b = 0; b < g.batches; ++b) {
    for (int64_t y = 0; y < g.out_height; ++y) {
      const Between v = PlaceOf(y, step_y, g.half_pixels, g.in_height);
      const T* top = image + v.low * g.in_width * g.channels;
      const T* bottom = image + v.high * g.in_width * g.channels;
      for (int64_t x = 0; x < g.out_width; ++x, to += g.channels) {
        const Between h = PlaceOf(x, step_x, g.half_pixels, g.in_width);
        const T* corners[4] = {
            top + h.low * g.channels, top + h.high * g.channels,
            bottom + h.low * g.channels, bottom + h.high * g.channels};
        const float weights[4] = {
            (1 - v.fraction) * (1 - h.fraction), (1 - v.fraction) * h.fraction,
            v.fraction * (1 - h.fraction), v.fraction * h.fraction};
        for (int64_t c = 0; c < g.channels; ++c) {
          float sum = static_cast<float>(corners[0][c]) * weights[0];
          for (int i = 1; i < 4; ++i) {
            sum += static_cast<float>(corners[i][c]) * weights[i];
          }
          to[c] = static_cast<T>(sum + kRound);
        }
      }
    }
    image += g.in_height * g.in_width * g.channels;
  }
  return {};
}

// In 10 bits of fraction, as LiteRT's.
constexpr int64_t kOne = 1 << 10;

int64_t FixedStepOf(int64_t in, int64_t out, bool corners) {
  return corners && out > 1 ? (kOne * (in - 1) + (out - 1) / 2) / (out - 1)
                            : (kOne * in + out / 2) / out;
}

struct FixedBetween {
  int64_t low = 0;
  int64_t high = 0;
  int64_t place = 0;

  int64_t fraction() const { return place - kOne * low; }
};

FixedBetween FixedPlaceOf(int64_t position, int64_t step, bool half_pixels,
                          int64_t size) {
  const int64_t place =
      half_pixels ? position * step + step / 2 - kOne / 2 : position * step;
  // Steps that were rounded up lead past the end of a much smaller image.
  const int64_t low = std::clamp<int64_t>(place / kOne, 0, size - 1);
  const int64_t high = std::min((place + kOne - 1) / kOne, size - 1);
  return {low, high, place};
}

template <class T>
Status BilinearIntegers(const Node& node, const Grid& g) {
  const int64_t step_y = FixedStepOf(g.in_height, g.out_height, g.corners);
  const int64_t step_x = FixedStepOf(g.in_width, g.out_width, g.corners);
  const T* image = node.input(0)->As<T>();
  T* to = node.output().As<T>();
  for (int64_t b = 0; b < g.batches; ++b) {
    for (int64_t y = 0; y < g.out_height; ++y) {
      const FixedBetween v =
          FixedPlaceOf(y, step_y, g.half_pixels, g.in_height);
      const T* top = image + v.low * g.in_width * g.channels;
      const T* bottom = image + v.high * g.in_width * g.channels;
      for (int64_t x = 0; x < g.out_width; ++x, to += g.channels) {
        const FixedBetween h =
            FixedPlaceOf(x, step_x, g.half_pixels, g.in_width);
        const int64_t fy = v.fraction();
        const int64_t fx = h.fraction();
        for (int64_t c = 0; c < g.channels; ++c) {
          const int64_t low = h.low * g.channels + c;
          const int64_t high = h.high * g.channels + c;
          const int64_t sum = top[low] * (kOne - fy) * (kOne - fx) +
                              bottom[low] * fy * (kOne - fx) +
                              top[high] * (kOne - fy) * fx +
                              bottom[high] * fy * fx;
          const int64_t half = sum > 0 ? kOne * kOne / 2 : -(kOne * kOne / 2);
          to[c] = static_cast<T>((sum + half) / (kOne * kOne));
        }
      }
    }
    image += g.in_height * g.in_width * g.channels;
  }
  return {};
}

int64_t NearestTo(int64_t position, float step, const Grid& g, int64_t size) {
  const float offset = g.half_pixels ? 0.5f : 0.0f;
  const float place = (static_cast<float>(position) + offset) * step;
  const float near = g.corners ? std::round(place) : std::floor(place);
  return std::clamp<int64_t>(static_cast<int64_t>(near), 0, size - 1);
}

}  // namespace

Result<Needs> PrepareResize(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 1));
  const Tensor& input = *node.input(0);
  if (input.shape.rank != 4 || node.output().shape.rank != 4 ||
      node.output().type != input.type) {
    return Unsupported(node, "the image has not four dimensions");
  }
  if (input.shape.elements() == 0 && node.output().shape.elements() != 0) {
    return Unsupported(node, "the image is empty");
  }
  if (node.type == "RESIZE_BILINEAR") {
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, input,
                  {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt16}));
  } else if (SizeOf(input.type) == 0) {
    return Unsupported(node, "this type has no code");
  }
  return Needs{};
}

Status RunResizeBilinear(const Node& node) {
  if (node.output().shape.elements() == 0) return {};
  const Grid grid(node);
  switch (node.input(0)->type) {
    case Type::kInt8:
      return BilinearIntegers<int8_t>(node, grid);
    case Type::kUInt8:
      return BilinearFloats<uint8_t>(node, grid);
    case Type::kInt16:
      return BilinearIntegers<int16_t>(node, grid);
    default:
      return BilinearFloats<float>(node, grid);
  }
}

Status RunResizeNearest(const Node& node) {
  if (node.output().shape.elements() == 0) return {};
  const Grid g(node);
  const auto pixel =
      g.channels * static_cast<int64_t>(SizeOf(node.output().type));
  const float step_y = StepOf(g.in_height, g.out_height, g.corners);
  const float step_x = StepOf(g.in_width, g.out_width, g.corners);
  const std::byte* image = node.input(0)->data;
  std::byte* to = node.output().data;
  for (int64_t b = 0; b < g.batches; ++b) {
    for (int64_t y = 0; y < g.out_height; ++y) {
      const int64_t row = NearestTo(y, step_y, g, g.in_height) * g.in_width;
      for (int64_t x = 0; x < g.out_width; ++x, to += pixel) {
        const int64_t from = row + NearestTo(x, step_x, g, g.in_width);
        std::copy_n(image + from * pixel, pixel, to);
      }
    }
    image += g.in_height * g.in_width * pixel;
  }
  return {};
}

}  // namespace stowplan::kernels::reference
