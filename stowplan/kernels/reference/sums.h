// SPDX-License-Identifier: Apache-2.0
//
// What happens to finished sums of products: bias, scale, activation, store.
#pragma once

#include "stowplan/kernels/reference/hybrid.h"
#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

// The bias of an integer operator: 32 or 64 bits, or none.
class IntegerBias {
 public:
  explicit IntegerBias(const Tensor* bias) : bias_(bias) {}

  int64_t operator[](int64_t channel) const {
    if (bias_ == nullptr) return 0;
    return bias_->type == Type::kInt64 ? bias_->As<int64_t>()[channel]
                                       : bias_->As<int32_t>()[channel];
  }

 private:
  const Tensor* bias_;
};

// Output elements are written at row * stride + channel, both of the whole
// output; `first_channel` is added to the channel.
struct OutputPlace {
  int64_t stride = 0;
  int64_t first_channel = 0;
};

inline auto FloatSink(const Node& node, const Tensor* bias, OutputPlace place) {
  const FloatRange range = ActivationRange(ActivationOf(node));
  return [=, out = node.output().As<float>(),
          add = bias == nullptr ? nullptr : bias->As<float>()](
             int64_t channel, int64_t row, int64_t count, const float* sums) {
    channel += place.first_channel;
    const float offset = add == nullptr ? 0.0f : add[channel];
    for (int64_t i = 0; i < count; ++i) {
      out[(row + i) * place.stride + channel] =
          std::clamp(sums[i] + offset, range.min, range.max);
    }
  };
}

// Steps of the output in a step of the sums of a channel. With one scale for
// all weights, LiteRT takes the product of the scales in single precision
// where the function is older than scales by channel.
inline double SumScale(const Node& node, const Tensor& input,
                       const Tensor& weights, int64_t channel) {
  const float in = input.quantization.scale();
  const float weight = weights.quantization.ScaleOf(channel);
  const double out = node.output().quantization.scale();
  const bool single =
      !weights.quantization.per_channel() &&
      (node.output().type == Type::kUInt8 || node.type == "FULLY_CONNECTED" ||
       node.type == "BATCH_MATMUL");
  return single ? double{in * weight} / out : double{in} * double{weight} / out;
}

// How LiteRT rounds the sums of a channel: the same for all, or up where its
// vector code takes eight channels at a time and away in the scalar code that
// does the rest.
using TiesOf = Ties (*)(int64_t channel, int64_t channels);
inline Ties TiesUp(int64_t, int64_t) { return Ties::kUp; }
inline Ties TiesAway(int64_t, int64_t) { return Ties::kAway; }
inline Ties TiesByEights(int64_t channel, int64_t channels) {
  return channel < channels / 8 * 8 ? Ties::kUp : Ties::kAway;
}

// For outputs of 8 bits with 32-bit sums.
template <class T>
auto IntegerSink(const Node& node, const Tensor& input, const Tensor& weights,
                 const Tensor* bias, OutputPlace place, TiesOf ties = TiesUp) {
  const Tensor& output = node.output();
  const IntRange range = ActivationRange(ActivationOf(node), output);
  return [&node, &input, &weights, range, place, ties, add = IntegerBias(bias),
          out = node.output().As<T>()](int64_t channel, int64_t row,
                                       int64_t count, const int32_t* sums) {
    channel += place.first_channel;
    const Requantizer requantize(
        node.arithmetic, SumScale(node, input, weights, channel),
        node.output().quantization.zero_point(), range.min, range.max,
        ties(channel, node.output().shape.last()));
    const auto offset = static_cast<int32_t>(add[channel]);
    for (int64_t i = 0; i < count; ++i) {
      out[(row + i) * place.stride + channel] =
          static_cast<T>(requantize(sums[i] + offset));
    }
  };
}

// For outputs of 16 bits with 64-bit sums.
inline auto WideSink(const Node& node, const Tensor& input,
                     const Tensor& weights, const Tensor* bias,
                     OutputPlace place) {
  const Tensor& output = node.output();
  const IntRange range = ActivationRange(ActivationOf(node), output);
  return [&node, &input, &weights, range, place, add = IntegerBias(bias),
          out = node.output().As<int16_t>()](
             int64_t channel, int64_t row, int64_t count, const int64_t* sums) {
    channel += place.first_channel;
    const Requantizer requantize(
        node.arithmetic, SumScale(node, input, weights, channel),
        node.output().quantization.zero_point(), range.min, range.max);
    for (int64_t i = 0; i < count; ++i) {
      out[(row + i) * place.stride + channel] =
          static_cast<int16_t>(requantize.FromWide(sums[i] + add[channel]));
    }
  };
}

// The scales of a block of at most `kSize` channels of a depthwise
// convolution. LiteRT has vector code for int8 only.
template <int64_t kSize>
class ChannelScales {
 public:
  ChannelScales(const Node& node, const Tensor& input, const Tensor& weights,
                int64_t first, int64_t count) {
    const Tensor& output = node.output();
    const IntRange range = ActivationRange(ActivationOf(node), output);
    for (int64_t i = 0; i < count; ++i) {
      const Ties ties = output.type == Type::kUInt8
                            ? Ties::kAway
                            : TiesByEights(first + i, output.shape.last());
      scales_[i] = Requantizer(
          node.arithmetic, SumScale(node, input, weights, first + i),
          output.quantization.zero_point(), range.min, range.max, ties);
    }
  }

  const Requantizer& operator[](int64_t i) const { return scales_[i]; }

 private:
  Requantizer scales_[kSize];
};

// For float outputs of integer sums over one image or row whose scale is
// `rows`.
class HybridSink {
 public:
  HybridSink(const Node& node, const Tensor& weights, const Tensor* bias,
             RowScale rows, OutputPlace place)
      : range_(ActivationRange(ActivationOf(node))),
        out_(node.output().As<float>()),
        bias_(bias == nullptr ? nullptr : bias->As<float>()),
        weights_(weights.quantization),
        rows_(rows),
        place_(place) {}

  float Value(int64_t channel, int32_t sum) const {
    const float scale = rows_.scale * weights_.ScaleOf(channel);
    const float offset = bias_ == nullptr ? 0.0f : bias_[channel];
    return std::clamp(static_cast<float>(sum) * scale + offset, range_.min,
                      range_.max);
  }

  void operator()(int64_t channel, int64_t row, int64_t count,
                  const int32_t* sums) const {
    channel += place_.first_channel;
    for (int64_t i = 0; i < count; ++i) {
      out_[(row + i) * place_.stride + channel] = Value(channel, sums[i]);
    }
  }

 private:
  FloatRange range_;
  float* out_;
  const float* bias_;
  Quantization weights_;
  RowScale rows_;
  OutputPlace place_;
};

}  // namespace stowplan::kernels::reference
