// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "examples/models.h"

namespace stowplan::examples {
namespace {

constexpr uint64_t kSeed = 640;
constexpr int32_t kClasses = 80;
// Each of a box's four sides is a distribution over so many positions.
constexpr int32_t kPositions = 16;

class Detector {
 public:
  explicit Detector(Arithmetic arithmetic)
      : network_("One-stage detector at 640, seeded random weights", arithmetic,
                 kSeed) {}

  ModelBytes Make() {
    const Feature image = network_.Input("image", {1, 640, 640, 3});
    Feature x = Block("stem", image, 16, 3, 2);
    x = Block("down_2", x, 32, 3, 2);
    x = SplitJoin("stage_2", x, 32, 1, true);
    x = Block("down_3", x, 64, 3, 2);
    const Feature fine = SplitJoin("stage_3", x, 64, 2, true);
    x = Block("down_4", fine, 128, 3, 2);
    const Feature middle = SplitJoin("stage_4", x, 128, 2, true);
    x = Block("down_5", middle, 320, 3, 2);
    x = SplitJoin("stage_5", x, 320, 1, true);
    return Heads(Pyramid(fine, middle, Pool("pool", x)));
  }

 private:
  // A convolution and its activation.
  Feature Block(const std::string& name, const Feature& in, int32_t channels,
                int32_t kernel, int32_t stride) {
    const Feature x = network_.Conv(
        name + "/conv", in,
        {.channels = channels, .kernel = kernel, .stride = stride});
    return network_.Silu(name, x);
  }

  // Half of the channels goes round a chain of bottlenecks; every step's
  // result is kept for the join, which is what fills the memory.
  Feature SplitJoin(const std::string& name, const Feature& in,
                    int32_t channels, int32_t repeats, bool residual) {
    const Feature both = Block(name + "/enter", in, channels, 1, 1);
    std::vector<Feature> parts =
        network_.SplitChannels(name + "/split", both, 2);
    for (int32_t i = 0; i < repeats; ++i) {
      const std::string step = name + "/" + std::to_string(i);
      const Feature from = parts.back();
      Feature x = Block(step + "/a", from, channels / 2, 3, 1);
      x = Block(step + "/b", x, channels / 2, 3, 1);
      parts.push_back(residual ? network_.Add(step + "/add", x, from) : x);
    }
    const Feature joined = network_.Concat(name + "/join", parts, 3);
    return Block(name + "/leave", joined, channels, 1, 1);
  }

  // Windows of 5, 9 and 13 by pooling 5 thrice.
  Feature Pool(const std::string& name, const Feature& in) {
    std::vector<Feature> parts = {
        Block(name + "/enter", in, in.channels() / 2, 1, 1)};
    for (int32_t i = 0; i < 3; ++i) {
      parts.push_back(
          network_.MaxPool(name + "/" + std::to_string(i), parts.back(), 5));
    }
    return Block(name + "/leave", network_.Concat(name + "/join", parts, 3),
                 in.channels(), 1, 1);
  }

  std::vector<Feature> Pyramid(const Feature& fine, const Feature& middle,
                               const Feature& coarse) {
    Feature x = network_.Upsample("up_4", coarse);
    x = network_.Concat("up_4/join", {x, middle}, 3);
    const Feature middle_up = SplitJoin("up_4/mix", x, 128, 1, false);
    x = network_.Upsample("up_3", middle_up);
    x = network_.Concat("up_3/join", {x, fine}, 3);
    const Feature level_3 = SplitJoin("up_3/mix", x, 64, 1, false);
    x = Block("down_p4", level_3, 64, 3, 2);
    x = network_.Concat("down_p4/join", {x, middle_up}, 3);
    const Feature level_4 = SplitJoin("down_p4/mix", x, 128, 1, false);
    x = Block("down_p5", level_4, 128, 3, 2);
    x = network_.Concat("down_p5/join", {x, coarse}, 3);
    const Feature level_5 = SplitJoin("down_p5/mix", x, 256, 1, false);
    return {level_3, level_4, level_5};
  }

  // [1, cells, channels] of one level's head.
  Feature Head(const std::string& name, const Feature& in, int32_t width,
               int32_t channels) {
    Feature x = Block(name + "/a", in, width, 3, 1);
    x = Block(name + "/b", x, width, 3, 1);
    x = network_.Conv(name + "/out", x, {.channels = channels});
    return network_.Reshape(name + "/cells", x,
                            {1, x.height() * x.width(), channels});
  }

  ModelBytes Heads(const std::vector<Feature>& levels) {
    std::vector<Feature> sides;
    std::vector<Feature> classes;
    for (size_t i = 0; i < levels.size(); ++i) {
      const std::string name = "head_" + std::to_string(i);
      sides.push_back(Head(name + "/box", levels[i], 64, 4 * kPositions));
      classes.push_back(Head(name + "/class", levels[i], kClasses, kClasses));
    }
    const Feature scores =
        network_.Logistic("scores", network_.Concat("classes", classes, 1));
    Feature x = network_.Concat("sides", sides, 1);
    const int32_t cells = x.shape[1];
    x = network_.Reshape("sides/split", x, {1, cells, 4, kPositions});
    x = network_.Softmax("sides/share", x);
    x = network_.Expectation("sides/mean", x);
    const Feature boxes = network_.Reshape("boxes", x, {1, cells, 4});
    return network_.Finish({boxes, scores});
  }

  Network network_;
};

}  // namespace

ModelBytes Detector640(Arithmetic arithmetic) {
  return Detector(arithmetic).Make();
}

}  // namespace stowplan::examples
