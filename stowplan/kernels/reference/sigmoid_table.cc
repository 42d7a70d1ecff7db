// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/sigmoid_table.h"

#include <algorithm>
#include <cmath>

namespace stowplan::kernels::reference {

const std::array<uint16_t, 256>& SigmoidTable() {
  static const std::array<uint16_t, 256> kTable = [] {
    std::array<uint16_t, 256> table;
    for (size_t i = 0; i < table.size(); ++i) {
      const double x = static_cast<double>(i) / 24.0;
      const double y = std::round(65536.0 / (1.0 + std::exp(-x)));
      table[i] = static_cast<uint16_t>(std::min(y, 65535.0));
    }
    return table;
  }();
  return kTable;
}

}  // namespace stowplan::kernels::reference
