// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "examples/models.h"
#include "examples/weights.h"

namespace stowplan::examples {
namespace {

using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;

constexpr ElementType kFloat = ElementType::FLOAT32;
constexpr ElementType kInt = ElementType::INT32;
constexpr ElementType kBool = ElementType::BOOL;

// A float constant with seeded values.
int32_t AddFloats(ModelBuilder& builder, const std::string& name,
                  std::vector<int32_t> shape, int32_t fan_in, uint64_t seed) {
  size_t count = 1;
  for (int32_t extent : shape) count *= static_cast<size_t>(extent);
  Generator generator(seed);
  const RandomWeights weights = DrawWeights(generator, count, fan_in);
  std::vector<float> values;
  for (int8_t value : weights.values) values.push_back(weights.scale() * value);
  return builder.AddTensor(
      {name, kFloat, std::move(shape), {}, BytesOf(values)});
}

int32_t AddScalar(ModelBuilder& builder, const std::string& name,
                  int32_t value) {
  return builder.AddTensor(
      {name, kInt, {}, {}, BytesOf(std::vector<int32_t>{value})});
}

// A 3x3 convolution that keeps the shape, and a rectifier.
int32_t AddConv(ModelBuilder& builder, const std::string& name, int32_t in,
                std::vector<int32_t> shape, uint64_t seed) {
  const int32_t channels = shape.back();
  const int32_t filter =
      AddFloats(builder, name + "/weights", {channels, 3, 3, channels},
                9 * channels, seed);
  const int32_t bias = builder.AddTensor(
      {name + "/bias",
       kFloat,
       {channels},
       {},
       BytesOf(std::vector<float>(static_cast<size_t>(channels), 0.0f))});
  const int32_t out = builder.AddTensor({name, kFloat, std::move(shape)});
  builder.AddOperator("CONV_2D", {in, filter, bias}, {out},
                      {{"padding", "SAME"},
                       {"stride_w", 1},
                       {"stride_h", 1},
                       {"fused_activation_function", "RELU"}});
  return out;
}

}  // namespace

// step     0       1       2       3
// image  in
// first  out 64  in
// second         out 128 in
// third                  out 64  in
// result                         out
ModelBytes FourOperators() {
  Network network("Four operators in a row", Arithmetic::kInt8, 4);
  Feature x = network.Input("image", {1, 8, 8, 1});
  x = network.Conv("first", x, {.channels = 1, .kernel = 3});
  x = network.Conv("second", x, {.channels = 2, .kernel = 3});
  x = network.Conv("third", x, {.channels = 1, .kernel = 3});
  return network.Finish(
      {network.Conv("result", x, {.channels = 1, .kernel = 3, .stride = 2})});
}

ModelBytes WhileLoop() {
  const std::vector<int32_t> image = {1, 32, 32, 8};
  ModelBuilder builder("A WHILE loop around a convolution");
  const int32_t limit = builder.AddTensor({"limit", kInt, {}});
  const int32_t x = builder.AddTensor({"x", kFloat, image});
  const int32_t zero = AddScalar(builder, "zero", 0);
  const int32_t count = builder.AddTensor({"count", kInt, {}});
  const int32_t limit_out = builder.AddTensor({"limit_out", kInt, {}});
  const int32_t looped = builder.AddTensor({"looped", kFloat, image});
  const int32_t result = builder.AddTensor({"result", kFloat, image});
  builder.AddOperator("WHILE", {zero, limit, x}, {count, limit_out, looped},
                      {{"cond_subgraph_index", 1}, {"body_subgraph_index", 2}});
  builder.AddOperator("TANH", {looped}, {result});
  builder.SetBoundary({limit, x}, {count, result});
  builder.AddSignature("serving_default", {{"limit", limit}, {"x", x}},
                       {{"count", count}, {"result", result}});

  const auto boundary = [&] {
    builder.AddTensor({"count", kInt, {}});
    builder.AddTensor({"limit", kInt, {}});
    builder.AddTensor({"x", kFloat, image});
  };
  builder.AddSubgraph("condition");
  boundary();
  const int32_t again = builder.AddTensor({"again", kBool, {}});
  builder.AddOperator("LESS", {0, 1}, {again});
  builder.SetBoundary({0, 1, 2}, {again});

  builder.AddSubgraph("body");
  boundary();
  const int32_t one = AddScalar(builder, "one", 1);
  const int32_t next = builder.AddTensor({"next", kInt, {}});
  builder.AddOperator("ADD", {0, one}, {next});
  const int32_t y = AddConv(builder, "conv", 2, image, 3);
  builder.SetBoundary({0, 1, 2}, {next, 1, y});
  return builder.Build();
}

ModelBytes IfBranch() {
  const std::vector<int32_t> image = {1, 32, 32, 8};
  ModelBuilder builder("An IF with a large and a small branch");
  const int32_t condition = builder.AddTensor({"condition", kBool, {}});
  const int32_t x = builder.AddTensor({"x", kFloat, image});
  const int32_t y = builder.AddTensor({"y", kFloat, image});
  builder.AddOperator("IF", {condition, x}, {y},
                      {{"then_subgraph_index", 1}, {"else_subgraph_index", 2}});
  builder.SetBoundary({condition, x}, {y});
  builder.AddSignature("serving_default", {{"condition", condition}, {"x", x}},
                       {{"y", y}});

  builder.AddSubgraph("large");
  const int32_t large = builder.AddTensor({"x", kFloat, image});
  const int32_t middle = AddConv(builder, "first", large, image, 5);
  builder.SetBoundary({large}, {AddConv(builder, "second", middle, image, 6)});

  builder.AddSubgraph("small");
  const int32_t small = builder.AddTensor({"x", kFloat, image});
  const int32_t out = builder.AddTensor({"out", kFloat, image});
  builder.AddOperator("RELU", {small}, {out});
  builder.SetBoundary({small}, {out});
  return builder.Build();
}

ModelBytes DynamicShape() {
  ModelBuilder builder("A free batch and a result that depends on the data");
  const int32_t x =
      builder.AddTensor({.name = "x", .shape = {1, 16}, .signature = {-1, 16}});
  const int32_t weights = AddFloats(builder, "dense/weights", {8, 16}, 16, 7);
  const int32_t y =
      builder.AddTensor({.name = "y", .shape = {1, 8}, .signature = {-1, 8}});
  builder.AddOperator("FULLY_CONNECTED", {x, weights, -1}, {y});
  const int32_t zero = builder.AddTensor(
      {"zero", kFloat, {}, {}, BytesOf(std::vector<float>{0})});
  const int32_t mask = builder.AddTensor(
      {.name = "mask", .type = kBool, .shape = {1, 8}, .signature = {-1, 8}});
  builder.AddOperator("GREATER", {y, zero}, {mask});
  // One row for each positive element: how many there are, only the data say.
  const int32_t places = builder.AddTensor({.name = "places",
                                            .type = ElementType::INT64,
                                            .shape = {1, 2},
                                            .signature = {-1, 2}});
  builder.AddOperator("WHERE", {mask}, {places});
  const int32_t positive =
      builder.AddTensor({.name = "positive", .shape = {1}, .signature = {-1}});
  builder.AddOperator("GATHER_ND", {y, places}, {positive});
  builder.SetBoundary({x}, {y, positive});
  builder.AddSignature("serving_default", {{"x", x}},
                       {{"y", y}, {"positive", positive}});
  return builder.Build();
}

// A fused LSTM takes 24 operands; those for projection, peepholes and layer
// normalisation are left out.
ModelBytes LstmState() {
  constexpr int32_t kFrames = 16;
  constexpr int32_t kInputs = 40;
  constexpr int32_t kCells = 64;
  constexpr int32_t kClasses = 12;
  ModelBuilder builder("A fused LSTM whose state outlives an invoke");
  const int32_t frames =
      builder.AddTensor({"frames", kFloat, {1, kFrames, kInputs}});
  std::vector<int32_t> operands(24, -1);
  operands[0] = frames;
  for (size_t gate = 0; gate < 4; ++gate) {
    const std::string name = "gate_" + std::to_string(gate);
    operands[1 + gate] = AddFloats(builder, name + "/input", {kCells, kInputs},
                                   kInputs, 10 + gate);
    operands[5 + gate] = AddFloats(builder, name + "/recurrent",
                                   {kCells, kCells}, kCells, 20 + gate);
    operands[12 + gate] =
        builder.AddTensor({name + "/bias",
                           kFloat,
                           {kCells},
                           {},
                           BytesOf(std::vector<float>(kCells, 0.0f))});
  }
  for (const auto& [place, name] :
       {std::pair(18u, "output_state"), std::pair(19u, "cell_state")}) {
    operands[place] = builder.AddTensor(
        {.name = name, .shape = {1, kCells}, .variable = true});
  }
  const int32_t hidden =
      builder.AddTensor({"hidden", kFloat, {1, kFrames, kCells}});
  builder.AddOperator(
      "UNIDIRECTIONAL_SEQUENCE_LSTM", operands, {hidden},
      {{"fused_activation_function", "TANH"}, {"time_major", false}});
  const int32_t weights =
      AddFloats(builder, "dense/weights", {kClasses, kCells}, kCells, 30);
  const int32_t logits =
      builder.AddTensor({"logits", kFloat, {1, kFrames, kClasses}});
  builder.AddOperator("FULLY_CONNECTED", {hidden, weights, -1}, {logits},
                      {{"keep_num_dims", true}});
  const int32_t classes =
      builder.AddTensor({"classes", kFloat, {1, kFrames, kClasses}});
  builder.AddOperator("SOFTMAX", {logits}, {classes}, {{"beta", 1.0}});
  builder.SetBoundary({frames}, {classes});
  builder.AddSignature("serving_default", {{"frames", frames}},
                       {{"classes", classes}});
  return builder.Build();
}

}  // namespace stowplan::examples
