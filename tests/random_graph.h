// SPDX-License-Identifier: Apache-2.0
//
// Random graphs that are rich in what goes wrong with shared bytes: views,
// operators that may overwrite, values that are read late, outputs that nobody
// reads, several outputs, scratch.
#pragma once

#include <cstdint>

#include "stowplan/graph/model.h"

namespace stowplan {

struct RandomGraphOptions {
  int operators = 12;
  int views = 30;        // Per cent of operators that are views.
  int overwriters = 40;  // Per cent that are arithmetic on two operands.
  // All tensors as large as the first, which makes sharing most likely, or
  // grown and cut by concatenations and splits.
  bool one_size = true;
  int64_t elements = 16;  // Of the input, float32.
  bool scratch = false;
};

// The same graph for the same seed on every machine. Every tensor that nobody
// reads is an output, but for some of several outputs of one operator.
graph::Model RandomGraph(uint64_t seed, const RandomGraphOptions& options);

}  // namespace stowplan
