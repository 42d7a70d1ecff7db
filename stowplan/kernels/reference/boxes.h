// SPDX-License-Identifier: Apache-2.0
//
// Boxes and how much they overlap.
#pragma once

#include <algorithm>

namespace stowplan::kernels::reference {

struct Box {
  float y1, x1, y2, x2;

  float area() const { return (y2 - y1) * (x2 - x1); }
};

// From any two opposite corners.
inline Box FromCorners(const float* corners) {
  return {std::min(corners[0], corners[2]), std::min(corners[1], corners[3]),
          std::max(corners[0], corners[2]), std::max(corners[1], corners[3])};
}

// The shared part of what both cover; 0 for boxes without area.
inline float Overlap(const Box& a, const Box& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0.0f;
  const float height =
      std::max(std::min(a.y2, b.y2) - std::max(a.y1, b.y1), 0.0f);
  const float width =
      std::max(std::min(a.x2, b.x2) - std::max(a.x1, b.x1), 0.0f);
  const float shared = height * width;
  return shared / (a.area() + b.area() - shared);
}

}  // namespace stowplan::kernels::reference
