// SPDX-License-Identifier: Apache-2.0
//
// The example models: made here, the same bytes on every machine.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "examples/network.h"
#include "stowplan/base/error.h"

namespace stowplan::examples {

using ModelBytes = Result<std::vector<std::byte>>;

// Four convolutions in a row whose three tensors between them take 64, 128
// and 64 bytes: the worked example of the README.
ModelBytes FourOperators();

// MobileNetV2 at 224x224 with 1,001 classes: Sandler et al., "MobileNetV2:
// inverted residuals and linear bottlenecks", 2018, table 2.
ModelBytes MobileNetV2(Arithmetic arithmetic);

// A one-stage detector at 640x640: backbone of split-and-join blocks, a
// pyramid of three levels there and back, a box and a class head on each.
ModelBytes Detector640(Arithmetic arithmetic);

// One fused LSTM whose state outlives an invoke, and a classifier.
ModelBytes LstmState();

// A loop that runs a convolution until its counter is at the input's value.
ModelBytes WhileLoop();

// A condition that runs two convolutions or a cheap product.
ModelBytes IfBranch();

// A free batch, and an operator whose result depends on the data.
ModelBytes DynamicShape();

struct Example {
  std::string_view name;  // Of the file, without ".tflite".
  ModelBytes (*make)();
};

// All of the above, in a fixed order.
std::span<const Example> AllExamples();

}  // namespace stowplan::examples
