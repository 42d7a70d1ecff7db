// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/sigmoid_table.h"

#include <cmath>

namespace stowplan::kernels::reference {

const std::array<uint16_t, 256>& SigmoidTable() {
  static const std::array<uint16_t, 256> kTable = [] {
    std::array<uint16_t, 256> table;
    for (size_t i = 0; i + 1 < table.size(); ++i) {
      const double x = static_cast<double>(i) / 24.0;
      const double y = 1.0 / (1.0 + std::exp(-x));
      const double curvature = y * (1 - y) * (1 - 2 * y) / (24.0 * 24.0);
      table[i] =
          static_cast<uint16_t>(std::round(65536.0 * (y - curvature / 16)));
    }
    table.back() = 65535;  // What lies beyond the table.
    return table;
  }();
  return kTable;
}

}  // namespace stowplan::kernels::reference
