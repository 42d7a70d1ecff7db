// SPDX-License-Identifier: Apache-2.0
//
// From boxes and scores to detections.
#pragma once

#include "stowplan/kernels/kernel.h"

namespace stowplan::kernels::reference {

// NON_MAX_SUPPRESSION_V4 and _V5.
Result<Needs> PrepareSuppression(const Node& node);
Status ShapesOfSuppression(const Node& node, std::span<Shape> shapes);
Status RunSuppression(const Node& node);

// TFLite_Detection_PostProcess.
Result<Needs> PrepareDetection(const Node& node);
Status ShapesOfDetection(const Node& node, std::span<Shape> shapes);
Status RunDetection(const Node& node);

}  // namespace stowplan::kernels::reference
