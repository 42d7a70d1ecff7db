// SPDX-License-Identifier: Apache-2.0
//
// A function of 16-bit integers as a table of 513 entries between which
// straight lines run, as LiteRT's LUTPopulate makes it. Internal to this
// folder.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "stowplan/kernels/requantize.h"

namespace stowplan::kernels::reference {

class Table16 {
 public:
  // Of inputs in [min, max], whose images times `scaling` are the outputs.
  // `Real` is the precision of it all. Each entry is corrected by half of what
  // the line to the next is off in the middle.
  template <class Real, class Function>
  static Table16 Of(Real min, Real max, Real scaling,
                    const Function& function) {
    Table16 table;
    const Real step = (max - min) / kSteps;
    for (size_t i = 0; i < kSteps; ++i) {
      const Real x = min + static_cast<Real>(i) * step;
      const Real next = min + static_cast<Real>(i + 1) * step;
      const Real here = std::round(function(x) * scaling);
      const Real middle = std::round((function(next) * scaling + here) / 2);
      const Real exact = std::round(function(x + step / 2) * scaling);
      table.entries_[i] = Clamped(here - std::round((middle - exact) / 2));
    }
    table.entries_[kSteps] = Clamped(std::round(function(max) * scaling));
    return table;
  }

  int16_t operator[](int16_t x) const {
    const auto index = static_cast<size_t>(256 + (x >> 7));
    const int32_t base = entries_[index];
    const int32_t slope = entries_[index + 1] - base;
    return static_cast<int16_t>(base + ((slope * (x & 0x7F) + 64) >> 7));
  }

 private:
  static constexpr size_t kSteps = 512;

  template <class Real>
  static int16_t Clamped(Real value) {
    return static_cast<int16_t>(Bounded(value, Real{-32768}, Real{32767}));
  }

  std::array<int16_t, kSteps + 1> entries_ = {};
};

}  // namespace stowplan::kernels::reference
