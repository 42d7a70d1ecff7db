// SPDX-License-Identifier: Apache-2.0
#include "examples/network.h"

#include <cmath>
#include <utility>

namespace stowplan::examples {
namespace {

using testing::BytesOf;
using testing::ElementType;
using testing::Option;
using testing::QuantizationSpec;

int32_t Halved(int32_t extent, int32_t stride) {
  return (extent + stride - 1) / stride;
}

}  // namespace

Network::Network(std::string description, Arithmetic arithmetic, uint64_t seed)
    : arithmetic_(arithmetic),
      generator_(seed),
      builder_(std::move(description)) {}

ElementType Network::type() const {
  return int8() ? ElementType::INT8 : ElementType::FLOAT32;
}

Feature Network::Activation(const std::string& name, std::vector<int32_t> shape,
                            Range range) {
  Feature feature;
  feature.scale = (range.high - range.low) / 255;
  feature.zero =
      static_cast<int32_t>(std::lround(-128 - range.low / feature.scale));
  return Same(name, std::move(shape), feature);
}

Feature Network::Same(const std::string& name, std::vector<int32_t> shape,
                      const Feature& like) {
  Feature feature{-1, std::move(shape), like.scale, like.zero};
  QuantizationSpec quantization;
  if (int8()) quantization = {{feature.scale}, {feature.zero}};
  feature.tensor =
      builder_.AddTensor({name, type(), feature.shape, quantization});
  return feature;
}

int32_t Network::AddWeights(const std::string& name, std::vector<int32_t> shape,
                            const RandomWeights& weights, int32_t channels,
                            int32_t dimension) {
  const float scale = weights.scale();
  if (int8()) {
    const auto count = static_cast<size_t>(channels);
    QuantizationSpec quantization{std::vector<float>(count, scale),
                                  std::vector<int64_t>(count, 0), dimension};
    return builder_.AddTensor({name, type(), std::move(shape), quantization,
                               BytesOf(weights.values)});
  }
  std::vector<float> values;
  values.reserve(weights.values.size());
  for (int8_t value : weights.values) values.push_back(scale * value);
  return builder_.AddTensor(
      {name, type(), std::move(shape), {}, BytesOf(values)});
}

int32_t Network::AddBias(const std::string& name, const Feature& in,
                         const RandomWeights& weights, int32_t channels) {
  const auto count = static_cast<size_t>(channels);
  if (!int8()) {
    return builder_.AddTensor({name,
                               ElementType::FLOAT32,
                               {channels},
                               {},
                               BytesOf(std::vector<float>(count, 0))});
  }
  const float scale = in.scale * weights.scale();
  QuantizationSpec quantization{std::vector<float>(count, scale),
                                std::vector<int64_t>(count, 0)};
  return builder_.AddTensor({name,
                             ElementType::INT32,
                             {channels},
                             quantization,
                             BytesOf(std::vector<int32_t>(count, 0))});
}

int32_t Network::AddIntegers(const std::string& name,
                             std::vector<int32_t> shape,
                             const std::vector<int32_t>& values) {
  return builder_.AddTensor(
      {name, ElementType::INT32, std::move(shape), {}, BytesOf(values)});
}

Feature Network::Input(const std::string& name, std::vector<int32_t> shape) {
  inputs_.push_back(Activation(name, std::move(shape), {-1, 1}));
  names_.push_back(name);
  return inputs_.back();
}

Feature Network::Convolve(const std::string& name, const Feature& in,
                          const ConvForm& form, const RandomWeights& weights,
                          Range range) {
  const int32_t filter =
      AddWeights(name + "/weights",
                 {form.channels, form.kernel, form.kernel, in.channels()},
                 weights, form.channels, 0);
  const int32_t bias = AddBias(name + "/bias", in, weights, form.channels);
  const Feature out =
      Activation(name,
                 {1, Halved(in.height(), form.stride),
                  Halved(in.width(), form.stride), form.channels},
                 range);
  builder_.AddOperator(
      "CONV_2D", {in.tensor, filter, bias}, {out.tensor},
      {{"padding", "SAME"},
       {"stride_w", form.stride},
       {"stride_h", form.stride},
       {"fused_activation_function", form.relu6 ? "RELU6" : "NONE"}});
  return out;
}

Feature Network::Conv(const std::string& name, const Feature& in,
                      ConvForm form) {
  const int32_t fan_in = form.kernel * form.kernel * in.channels();
  const size_t count =
      static_cast<size_t>(form.channels) * static_cast<size_t>(fan_in);
  return Convolve(name, in, form, DrawWeights(generator_, count, fan_in),
                  form.relu6 ? kRelu6 : kLinear);
}

Feature Network::Depthwise(const std::string& name, const Feature& in,
                           ConvForm form) {
  const int32_t channels = in.channels();
  const int32_t fan_in = form.kernel * form.kernel;
  const RandomWeights weights = DrawWeights(
      generator_, static_cast<size_t>(fan_in) * static_cast<size_t>(channels),
      fan_in);
  const int32_t filter =
      AddWeights(name + "/weights", {1, form.kernel, form.kernel, channels},
                 weights, channels, 3);
  const int32_t bias = AddBias(name + "/bias", in, weights, channels);
  const Feature out = Activation(name,
                                 {1, Halved(in.height(), form.stride),
                                  Halved(in.width(), form.stride), channels},
                                 form.relu6 ? kRelu6 : kLinear);
  builder_.AddOperator(
      "DEPTHWISE_CONV_2D", {in.tensor, filter, bias}, {out.tensor},
      {{"padding", "SAME"},
       {"stride_w", form.stride},
       {"stride_h", form.stride},
       {"depth_multiplier", 1},
       {"fused_activation_function", form.relu6 ? "RELU6" : "NONE"}});
  return out;
}

Feature Network::FullyConnected(const std::string& name, const Feature& in,
                                int32_t channels) {
  const size_t count =
      static_cast<size_t>(channels) * static_cast<size_t>(in.channels());
  const RandomWeights weights = DrawWeights(generator_, count, in.channels());
  const int32_t filter = AddWeights(
      name + "/weights", {channels, in.channels()}, weights, channels, 0);
  const int32_t bias = AddBias(name + "/bias", in, weights, channels);
  const Feature out = Activation(name, {in.shape[0], channels}, kLinear);
  builder_.AddOperator("FULLY_CONNECTED", {in.tensor, filter, bias},
                       {out.tensor});
  return out;
}

Feature Network::Logistic(const std::string& name, const Feature& in) {
  const Feature out = Activation(name, in.shape, kUnit);
  builder_.AddOperator("LOGISTIC", {in.tensor}, {out.tensor});
  return out;
}

Feature Network::Silu(const std::string& name, const Feature& in) {
  const Feature gate = Logistic(name + "/gate", in);
  const Feature out = Activation(name, in.shape, kSilu);
  builder_.AddOperator("MUL", {in.tensor, gate.tensor}, {out.tensor});
  return out;
}

Feature Network::Softmax(const std::string& name, const Feature& in) {
  const Feature out = Activation(name, in.shape, kUnit);
  builder_.AddOperator("SOFTMAX", {in.tensor}, {out.tensor}, {{"beta", 1.0}});
  return out;
}

Feature Network::Add(const std::string& name, const Feature& a,
                     const Feature& b) {
  const Feature out = Same(name, a.shape, a);
  builder_.AddOperator("ADD", {a.tensor, b.tensor}, {out.tensor});
  return out;
}

Feature Network::Concat(const std::string& name,
                        const std::vector<Feature>& parts, int32_t axis) {
  std::vector<int32_t> shape = parts.front().shape;
  std::vector<int32_t> tensors;
  int32_t extent = 0;
  for (const Feature& part : parts) {
    extent += part.shape[static_cast<size_t>(axis)];
    tensors.push_back(part.tensor);
  }
  shape[static_cast<size_t>(axis)] = extent;
  const Feature out = Same(name, shape, parts.front());
  builder_.AddOperator("CONCATENATION", tensors, {out.tensor},
                       {{"axis", axis}});
  return out;
}

std::vector<Feature> Network::SplitChannels(const std::string& name,
                                            const Feature& in, int32_t parts) {
  const int32_t axis = AddIntegers(name + "/axis", {}, {3});
  std::vector<int32_t> shape = in.shape;
  shape.back() /= parts;
  std::vector<Feature> results;
  std::vector<int32_t> tensors;
  for (int32_t i = 0; i < parts; ++i) {
    results.push_back(Same(name + "/" + std::to_string(i), shape, in));
    tensors.push_back(results.back().tensor);
  }
  builder_.AddOperator("SPLIT", {axis, in.tensor}, tensors,
                       {{"num_splits", parts}});
  return results;
}

Feature Network::MaxPool(const std::string& name, const Feature& in,
                         int32_t kernel) {
  const Feature out = Same(name, in.shape, in);
  builder_.AddOperator("MAX_POOL_2D", {in.tensor}, {out.tensor},
                       {{"padding", "SAME"},
                        {"stride_w", 1},
                        {"stride_h", 1},
                        {"filter_width", kernel},
                        {"filter_height", kernel}});
  return out;
}

Feature Network::Upsample(const std::string& name, const Feature& in) {
  const int32_t height = 2 * in.height();
  const int32_t width = 2 * in.width();
  const int32_t size = AddIntegers(name + "/size", {2}, {height, width});
  const Feature out = Same(name, {1, height, width, in.channels()}, in);
  builder_.AddOperator("RESIZE_NEAREST_NEIGHBOR", {in.tensor, size},
                       {out.tensor}, {{"half_pixel_centers", true}});
  return out;
}

Feature Network::Mean(const std::string& name, const Feature& in) {
  const int32_t axes = AddIntegers(name + "/axes", {2}, {1, 2});
  const Feature out = Same(name, {1, in.channels()}, in);
  builder_.AddOperator("MEAN", {in.tensor, axes}, {out.tensor});
  return out;
}

Feature Network::Reshape(const std::string& name, const Feature& in,
                         std::vector<int32_t> shape) {
  const int32_t rank = static_cast<int32_t>(shape.size());
  const int32_t wanted = AddIntegers(name + "/shape", {rank}, shape);
  const std::vector<int64_t> option(shape.begin(), shape.end());
  const Feature out = Same(name, std::move(shape), in);
  builder_.AddOperator("RESHAPE", {in.tensor, wanted}, {out.tensor},
                       {{"new_shape", option}});
  return out;
}

Feature Network::Expectation(const std::string& name, const Feature& in) {
  RandomWeights weights{{}, static_cast<float>(in.channels() - 1)};
  for (int32_t i = 0; i < in.channels(); ++i) {
    const float value = 127.0f * static_cast<float>(i) / weights.limit;
    weights.values.push_back(static_cast<int8_t>(std::lround(value)));
  }
  return Convolve(name, in, {1}, weights, {0, weights.limit});
}

Result<std::vector<std::byte>> Network::Finish(
    const std::vector<Feature>& outputs) {
  std::vector<int32_t> input_tensors;
  std::vector<int32_t> output_tensors;
  testing::ModelBuilder::Names input_names;
  testing::ModelBuilder::Names output_names;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    input_tensors.push_back(inputs_[i].tensor);
    input_names.emplace_back(names_[i], inputs_[i].tensor);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    output_tensors.push_back(outputs[i].tensor);
    output_names.emplace_back("output_" + std::to_string(i), outputs[i].tensor);
  }
  builder_.SetBoundary(input_tensors, output_tensors);
  builder_.AddSignature("serving_default", input_names, output_names);
  return builder_.Build();
}

}  // namespace stowplan::examples
