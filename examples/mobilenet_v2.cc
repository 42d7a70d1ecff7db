// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "examples/models.h"

namespace stowplan::examples {
namespace {

constexpr uint64_t kSeed = 224;

// A row of the paper's table 2: expansion, channels, repeats, first stride.
struct Row {
  int32_t expansion;
  int32_t channels;
  int32_t repeats;
  int32_t stride;
};
constexpr Row kRows[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                         {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                         {6, 320, 1, 1}};

Feature Bottleneck(Network& network, const std::string& name, const Feature& in,
                   const Row& row, int32_t stride) {
  Feature x = in;
  if (row.expansion > 1) {
    x = network.Conv(
        name + "/expand", x,
        {.channels = row.expansion * in.channels(), .relu6 = true});
  }
  x = network.Depthwise(name + "/depthwise", x,
                        {.kernel = 3, .stride = stride, .relu6 = true});
  x = network.Conv(name + "/project", x, {.channels = row.channels});
  if (stride != 1 || in.channels() != row.channels) return x;
  return network.Add(name + "/add", x, in);
}

}  // namespace

ModelBytes MobileNetV2(Arithmetic arithmetic) {
  Network network("MobileNetV2 1.0 at 224, seeded random weights", arithmetic,
                  kSeed);
  Feature x = network.Input("image", {1, 224, 224, 3});
  x = network.Conv("stem", x,
                   {.channels = 32, .kernel = 3, .stride = 2, .relu6 = true});
  int32_t block = 0;
  for (const Row& row : kRows) {
    for (int32_t i = 0; i < row.repeats; ++i) {
      x = Bottleneck(network, "block_" + std::to_string(block++), x, row,
                     i == 0 ? row.stride : 1);
    }
  }
  x = network.Conv("head", x, {.channels = 1280, .relu6 = true});
  x = network.Mean("pool", x);
  x = network.FullyConnected("logits", x, 1001);
  return network.Finish({network.Softmax("classes", x)});
}

}  // namespace stowplan::examples
