// SPDX-License-Identifier: Apache-2.0
//
// Layers of convolutional networks on top of the model builder, in float32 or
// fully int8, with weights from a seeded generator. The int8 weights are the
// float weights rounded, so that both forms of a network compute nearly the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "examples/weights.h"
#include "stowplan/base/error.h"
#include "stowplan/testing/model_builder.h"

namespace stowplan::examples {

enum class Arithmetic { kFloat32, kInt8 };

// An activation: [1, height, width, channels], or any other shape.
struct Feature {
  int32_t tensor = -1;
  std::vector<int32_t> shape;
  float scale = 0;  // Of the int8 form: real = scale * (stored - zero).
  int32_t zero = 0;

  int32_t height() const { return shape[1]; }
  int32_t width() const { return shape[2]; }
  int32_t channels() const { return shape.back(); }
};

// The value range that the int8 form of a layer's result covers.
struct Range {
  float low;
  float high;
};

// A convolution's form; padding is always SAME.
struct ConvForm {
  int32_t channels = 0;  // Of the result; ignored by depthwise ones.
  int32_t kernel = 1;
  int32_t stride = 1;
  bool relu6 = false;
};

class Network {
 public:
  static constexpr Range kRelu6 = {0, 6};
  static constexpr Range kLinear = {-8, 8};
  static constexpr Range kSilu = {-1, 7};
  static constexpr Range kUnit = {0, 255.0f / 256};  // Softmax, logistic.

  Network(std::string description, Arithmetic arithmetic, uint64_t seed);

  Feature Input(const std::string& name, std::vector<int32_t> shape);
  Feature Conv(const std::string& name, const Feature& in, ConvForm form);
  Feature Depthwise(const std::string& name, const Feature& in, ConvForm form);
  Feature FullyConnected(const std::string& name, const Feature& in,
                         int32_t channels);
  // in * logistic(in), as two operators.
  Feature Silu(const std::string& name, const Feature& in);
  Feature Logistic(const std::string& name, const Feature& in);
  Feature Softmax(const std::string& name, const Feature& in);
  Feature Add(const std::string& name, const Feature& a, const Feature& b);
  // REQUIRES: one scale for all of them.
  Feature Concat(const std::string& name, const std::vector<Feature>& parts,
                 int32_t axis);
  std::vector<Feature> SplitChannels(const std::string& name, const Feature& in,
                                     int32_t parts);
  Feature MaxPool(const std::string& name, const Feature& in, int32_t kernel);
  // Nearest neighbour, twice the height and width.
  Feature Upsample(const std::string& name, const Feature& in);
  // The mean over height and width: [1, channels].
  Feature Mean(const std::string& name, const Feature& in);
  Feature Reshape(const std::string& name, const Feature& in,
                  std::vector<int32_t> shape);
  // The expected position under a distribution over the last dimension: a
  // 1x1 convolution with the weights 0, 1, 2, ...
  Feature Expectation(const std::string& name, const Feature& in);

  // The file, with one signature "serving_default".
  Result<std::vector<std::byte>> Finish(const std::vector<Feature>& outputs);

 private:
  bool int8() const { return arithmetic_ == Arithmetic::kInt8; }
  testing::ElementType type() const;
  Feature Activation(const std::string& name, std::vector<int32_t> shape,
                     Range range);
  // A result with the scale of `like`.
  Feature Same(const std::string& name, std::vector<int32_t> shape,
               const Feature& like);
  int32_t AddWeights(const std::string& name, std::vector<int32_t> shape,
                     const RandomWeights& weights, int32_t channels,
                     int32_t dimension);
  int32_t AddBias(const std::string& name, const Feature& in,
                  const RandomWeights& weights, int32_t channels);
  int32_t AddIntegers(const std::string& name, std::vector<int32_t> shape,
                      const std::vector<int32_t>& values);
  Feature Convolve(const std::string& name, const Feature& in,
                   const ConvForm& form, const RandomWeights& weights,
                   Range range);

  Arithmetic arithmetic_;
  Generator generator_;
  testing::ModelBuilder builder_;
  std::vector<Feature> inputs_;
  std::vector<std::string> names_;  // Of the inputs.
};

}  // namespace stowplan::examples
