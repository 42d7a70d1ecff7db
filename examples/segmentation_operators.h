// SPDX-License-Identifier: Apache-2.0
//
// Three operators outside of the public format that public segmentation
// models contain, in float32 (MediaPipe's hair and selfie segmentation):
//
//   Convolution2DTransposeBias  a transposed convolution that adds a bias
//   MaxPoolingWithArgmax2D      a maximum, and where in its window it was
//   MaxUnpooling2D              puts each value back there, zero elsewhere
#pragma once

#include "stowplan/base/error.h"
#include "stowplan/kernels/registry.h"

namespace stowplan::examples {

Status AddSegmentationOperators(kernels::Registry* registry);

}  // namespace stowplan::examples
