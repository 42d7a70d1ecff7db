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
  const Tensor* tensor() const { return bias_; }

 private:
  const Tensor* bias_;
};

// Where kLiteRt rounds halves: by the channel, since its vector code takes
// `block` channels at a time and its scalar code the rest. No block: all the
// same.
struct TiesByChannel {
  Ties first = Ties::kUp;
  int64_t block = 0;

  Ties Of(int64_t channel, int64_t channels) const {
    return block > 0 && channel >= channels / block * block ? Ties::kAway
                                                            : first;
  }
};

// Output elements are written at row * stride + channel, both of the whole
// output; `first_channel` is added to the channel.
struct OutputPlace {
  int64_t stride = 0;
  int64_t first_channel = 0;
};

inline auto FloatSink(const Node& node, const Tensor* bias, OutputPlace place) {
  const FloatRange range = FloatRangeOf(node);
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

// A bias of 32 bits sends convolutions and fully connected layers of LiteRT
// through its 8-bit code, where the model says that the bias has 32 bits. A
// fully connected layer needs no such word.
inline WideScaling WideScalingOf(const Node& node, const Tensor* bias) {
  const std::string_view says = node.options.Text("quantized_bias_type");
  if (node.type == "FULLY_CONNECTED") {
    const bool wide =
        says == "INT64" || (bias != nullptr && bias->type == Type::kInt64);
    return wide ? WideScaling::kReal : WideScaling::kAsNarrow;
  }
  return says == "INT32" ? WideScaling::kAsNarrow : WideScaling::kShortFactor;
}

// Steps of the output in a step of the sums of a channel. With one scale for
// all weights, LiteRT takes the product of the scales in single precision
// where the function is older than scales by channel. Its BATCH_MATMUL takes
// scales by channel for none, so that everything becomes zero.
inline double SumScale(const Node& node, const Tensor& input,
                       const Tensor& weights, const Tensor* bias,
                       int64_t channel) {
  const float in = input.quantization.scale();
  const float weight = weights.quantization.ScaleOf(channel);
  const double out = node.output().quantization.scale();
  const bool product = node.type == "BATCH_MATMUL";
  const bool by_channel = weights.quantization.per_channel();
  if (product && by_channel && node.arithmetic == Arithmetic::kLiteRt) return 0;
  const bool layer = node.type == "FULLY_CONNECTED";
  const bool real = layer && node.output().type == Type::kInt16 &&
                    WideScalingOf(node, bias) == WideScaling::kReal;
  const bool single = !by_channel && !real &&
                      (node.output().type == Type::kUInt8 || layer || product);
  return single ? double{in * weight} / out : double{in} * double{weight} / out;
}

// For outputs of 8 bits with 32-bit sums.
template <class T>
auto IntegerSink(const Node& node, const Tensor& input, const Tensor& weights,
                 const Tensor* bias, OutputPlace place,
                 TiesByChannel ties = {}) {
  const Tensor& output = node.output();
  const IntRange range = ActivationRange(ActivationOf(node), output);
  return [&node, &input, &weights, range, place, ties, add = IntegerBias(bias),
          out = node.output().As<T>()](int64_t channel, int64_t row,
                                       int64_t count, const int32_t* sums) {
    channel += place.first_channel;
    const Requantizer requantize(
        node.arithmetic, SumScale(node, input, weights, add.tensor(), channel),
        node.output().quantization.zero_point(), range.min, range.max,
        ties.Of(channel, node.output().shape.last()));
    const auto offset = static_cast<int32_t>(add[channel]);
    for (int64_t i = 0; i < count; ++i) {
      out[(row + i) * place.stride + channel] =
          static_cast<T>(requantize(AddWrapped(sums[i], offset)));
    }
  };
}

// For outputs of 16 bits with 64-bit sums.
inline auto WideSink(const Node& node, const Tensor& input,
                     const Tensor& weights, const Tensor* bias,
                     OutputPlace place, TiesByChannel ties = {}) {
  const Tensor& output = node.output();
  const IntRange range = ActivationRange(ActivationOf(node), output);
  const WideScaling scaling = WideScalingOf(node, bias);
  return [&node, &input, &weights, range, place, ties, scaling,
          add = IntegerBias(bias), out = node.output().As<int16_t>()](
             int64_t channel, int64_t row, int64_t count, const int64_t* sums) {
    channel += place.first_channel;
    const Requantizer requantize(
        node.arithmetic, SumScale(node, input, weights, add.tensor(), channel),
        node.output().quantization.zero_point(), range.min, range.max,
        ties.Of(channel, node.output().shape.last()));
    for (int64_t i = 0; i < count; ++i) {
      out[(row + i) * place.stride + channel] = static_cast<int16_t>(
          requantize.FromWide(AddWrapped(sums[i], add[channel]), scaling));
    }
  };
}

// The scales of a block of at most `kSize` channels of a depthwise
// convolution. LiteRT's vector code takes eight channels at a time, its scalar
// code the rest; of unsigned bytes both round alike.
template <int64_t kSize>
class ChannelScales {
 public:
  ChannelScales(const Node& node, const Tensor& input, const Tensor& weights,
                int64_t first, int64_t count) {
    const Tensor& output = node.output();
    const IntRange range = ActivationRange(ActivationOf(node), output);
    for (int64_t i = 0; i < count; ++i) {
      const bool scalar = output.type == Type::kUInt8 ||
                          first + i >= output.shape.last() / 8 * 8;
      scales_[i] = Requantizer(
          node.arithmetic, SumScale(node, input, weights, nullptr, first + i),
          output.quantization.zero_point(), range.min, range.max,
          scalar ? Ties::kAway : Ties::kUp);
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
      : range_(FloatRangeOf(node)),
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
