// SPDX-License-Identifier: Apache-2.0
//
// DEPTHWISE_CONV_2D: every channel has filters of its own. Sums of a block of
// channels side by side, so that the inner loop runs over contiguous memory.
#include "stowplan/kernels/reference/conv.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/sums.h"

namespace stowplan::kernels::reference {
namespace {

constexpr int64_t kBlock = 64;

// Output channels [first, first + count) of images [begin, end).
struct Part {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t first = 0;
  int64_t count = 0;
};

struct Depthwise {
  const Node& node;
  const Tensor& input;
  const Tensor& filters;
  const Tensor* bias;
  Window window;
  int64_t multiplier = 1;  // Output channels of an input channel.
};

// sums[i] += image[channel of i] * weights[i] for the output channels
// [first, first + count).
template <class E, class Sum, class T, class W, class Convert, class Widen>
void AddTap(const T* image, const W* weights, int64_t first, int64_t count,
            int64_t multiplier, const Convert& convert, const Widen& widen,
            Sum* sums) {
  if (multiplier == 1) {
    for (int64_t i = 0; i < count; ++i) {
      const E value = convert(image[first + i]);
      const E weight = widen(weights, first + i);
      sums[i] = AddWrapped<Sum>(
          sums[i], static_cast<Sum>(value) * static_cast<Sum>(weight));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const E value = convert(image[(first + i) / multiplier]);
    const E weight = widen(weights, first + i);
    sums[i] = AddWrapped<Sum>(
        sums[i], static_cast<Sum>(value) * static_cast<Sum>(weight));
  }
}

// `convert(value)` and `widen(weights, index)` give elements of type E;
// `weights_at(tap)` the weights of a tap; `sink(out, sums)` takes the finished
// sums of a pixel's channels, whose first is output element `out`. Sums start
// with `start`, or with 0 if that is null.
template <class E, class Sum, class T, class Convert, class WeightsAt,
          class Widen, class Sink>
void RunPart(const Depthwise& op, const Part& part, const Convert& convert,
             const WeightsAt& weights_at, const Widen& widen, const Sink& sink,
             const Sum* start = nullptr) {
  const Window& w = op.window;
  Sum sums[kBlock];
  const int64_t pixels = w.output_height * w.output_width;
  for (int64_t pixel = part.begin * pixels; pixel < part.end * pixels;
       ++pixel) {
    const int64_t row = pixel / w.output_width;
    const int64_t y0 = row % w.output_height * w.stride_y - w.top;
    const int64_t x0 = pixel % w.output_width * w.stride_x - w.left;
    const T* image = op.input.As<T>() + row / w.output_height * w.input_height *
                                            w.input_width * w.input_channels;
    const Taps ys = TapsInside(y0, w.height, w.dilation_y, w.input_height);
    const Taps xs = TapsInside(x0, w.width, w.dilation_x, w.input_width);
    if (start == nullptr) {
      std::fill_n(sums, part.count, Sum{0});
    } else {
      std::copy_n(start, part.count, sums);
    }
    for (int64_t ky = ys.begin; ky < ys.end; ++ky) {
      for (int64_t kx = xs.begin; kx < xs.end; ++kx) {
        const int64_t at =
            (y0 + ky * w.dilation_y) * w.input_width + x0 + kx * w.dilation_x;
        AddTap<E>(image + at * w.input_channels, weights_at(ky * w.width + kx),
                  part.first, part.count, op.multiplier, convert, widen, sums);
      }
    }
    sink(pixel * w.output_channels + part.first, sums);
  }
}

void RunFloat(const Depthwise& op, const Part& part) {
  const auto same = [](float value) { return value; };
  const auto weights_at = [&](int64_t tap) {
    return op.filters.As<float>() + tap * op.window.output_channels;
  };
  const auto at = [](const float* weights, int64_t i) { return weights[i]; };
  const FloatRange range = FloatRangeOf(op.node);
  // The bias comes first, as in LiteRT.
  float bias[kBlock] = {};
  if (op.bias != nullptr) {
    std::copy_n(op.bias->As<float>() + part.first, part.count, bias);
  }
  RunPart<float, float, float>(
      op, part, same, weights_at, at,
      [&](int64_t out, const float* sums) {
        float* to = op.node.output().As<float>() + out;
        for (int64_t i = 0; i < part.count; ++i) {
          to[i] = std::clamp(sums[i], range.min, range.max);
        }
      },
      bias);
}

// Hands `run` what gives the weights of a tap and what widens one of them.
template <class Run>
void WithWeights(const Depthwise& op, const Run& run) {
  const Tensor& filters = op.filters;
  const int64_t channels = op.window.output_channels;
  if (filters.type == Type::kInt8) {
    run([&](int64_t tap) { return filters.As<int8_t>() + tap * channels; },
        [](const int8_t* weights, int64_t i) -> int16_t { return weights[i]; });
  } else if (filters.type == Type::kUInt8) {
    const auto zero = filters.quantization.zero_point();
    run([&](int64_t tap) { return filters.As<uint8_t>() + tap * channels; },
        [zero](const uint8_t* weights, int64_t i) {
          return static_cast<int16_t>(weights[i] - zero);
        });
  } else {
    // A tap may begin inside a byte.
    int64_t base = 0;
    run(
        [&](int64_t tap) {
          base = tap * channels;
          return filters.data;
        },
        [&base](const std::byte* weights, int64_t i) {
          return NibbleAt(weights, base + i);
        });
  }
}

template <class T>
void RunInteger(const Depthwise& op, const Part& part) {
  using Sum = std::conditional_t<sizeof(T) == 2, int64_t, int32_t>;
  const auto shifted = [zero = op.input.quantization.zero_point()](T value) {
    return static_cast<int16_t>(value - zero);
  };
  const Tensor& output = op.node.output();
  const ChannelScales<kBlock> scales(op.node, op.input, op.filters, part.first,
                                     part.count);
  const IntegerBias bias(op.bias);
  WithWeights(op, [&](const auto& weights_at, const auto& widen) {
    RunPart<int16_t, Sum, T>(
        op, part, shifted, weights_at, widen,
        [&](int64_t out, const Sum* sums) {
          T* to = reinterpret_cast<T*>(output.data) + out;
          for (int64_t i = 0; i < part.count; ++i) {
            const auto sum =
                AddWrapped(sums[i], static_cast<Sum>(bias[part.first + i]));
            if constexpr (sizeof(T) == 2) {
              to[i] = static_cast<T>(scales[i].FromWide(sum));
            } else {
              to[i] = static_cast<T>(scales[i](sum));
            }
          }
        });
  });
}

// The order of LiteRT's factors: by channel and then by image in vector code,
// which takes four channels at a time, the other way round in the rest.
class HybridStore {
 public:
  HybridStore(const Depthwise& op, const RowScale& image)
      : range_(FloatRangeOf(op.node)),
        bias_(op.bias == nullptr ? nullptr : op.bias->As<float>()),
        weights_(op.filters.quantization),
        image_(image.scale),
        vectors_(op.window.output_channels / 4 * 4) {}

  float Value(int64_t channel, int32_t sum) const {
    const float scale = weights_.ScaleOf(channel);
    const auto steps = static_cast<float>(sum);
    const float value =
        channel < vectors_ ? steps * scale * image_ : steps * image_ * scale;
    return std::clamp(value + (bias_ == nullptr ? 0.0f : bias_[channel]),
                      range_.min, range_.max);
  }

 private:
  FloatRange range_;
  const float* bias_;
  Quantization weights_;
  float image_;
  int64_t vectors_;
};

// The images of a part, one by one: each has a scale of its own.
void RunHybrid(const Depthwise& op, Part part) {
  const Window& w = op.window;
  const int64_t size = w.input_height * w.input_width * w.input_channels;
  for (int64_t b = 0; b < w.batches; ++b) {
    part.begin = b;
    part.end = b + 1;
    const RowScale scale =
        AsymmetricScale(op.input.As<float>() + b * size, size);
    const auto quantize = [&](float value) { return scale.Quantize(value); };
    const HybridStore store(op, scale);
    WithWeights(op, [&](const auto& weights_at, const auto& widen) {
      RunPart<int16_t, int32_t, float>(
          op, part, quantize, weights_at, widen,
          [&](int64_t out, const int32_t* sums) {
            float* to = op.node.output().As<float>() + out;
            for (int64_t i = 0; i < part.count; ++i) {
              to[i] = store.Value(part.first + i, sums[i]);
            }
          });
    });
  }
}

void RunChannels(const Depthwise& op, const Part& part) {
  switch (op.input.type) {
    case Type::kInt8:
      return RunInteger<int8_t>(op, part);
    case Type::kUInt8:
      return RunInteger<uint8_t>(op, part);
    case Type::kInt16:
      return RunInteger<int16_t>(op, part);
    default:
      return op.filters.type == Type::kFloat32 ? RunFloat(op, part)
                                               : RunHybrid(op, part);
  }
}

}  // namespace

Result<Needs> PrepareDepthwiseConv2d(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckWindow(node, *node.input(0)));
  STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  const Tensor& input = *node.input(0);
  const Tensor& filters = *node.input(1);
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, input, {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt16}));
  if (input.type == Type::kUInt8) {
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, filters, {Type::kUInt8}));
  } else if (input.type == Type::kFloat32) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, filters, {Type::kFloat32, Type::kInt8, Type::kInt4}));
  } else {
    STOWPLAN_RETURN_IF_ERROR(
        CheckType(node, filters, {Type::kInt8, Type::kInt4}));
  }
  if (node.output().type != input.type) {
    return Unsupported(node, "input and output differ in type");
  }
  if (filters.shape.rank != 4 || filters.shape[0] != 1 || input.shape[3] == 0 ||
      filters.shape[3] != node.output().shape[3] ||
      filters.shape[3] % input.shape[3] != 0) {
    return Unsupported(node, "the filters do not match the channels");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckWeights(node, input, filters, node.input(2), filters.shape[3]));
  return Needs{};
}

Status RunDepthwiseConv2d(const Node& node) {
  const Tensor& input = *node.input(0);
  const Tensor& filters = *node.input(1);
  const Depthwise op = {
      node,
      input,
      filters,
      node.input(2),
      WindowOf(node, input, node.output(), filters.shape[1], filters.shape[2]),
      filters.shape[3] / input.shape[3]};
  const int64_t channels = op.window.output_channels;
  for (int64_t first = 0; first < channels; first += kBlock) {
    RunChannels(
        op, {0, op.window.batches, first, std::min(kBlock, channels - first)});
  }
  return {};
}

}  // namespace stowplan::kernels::reference
