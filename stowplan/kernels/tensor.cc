// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/tensor.h"

namespace stowplan::kernels {

size_t SizeOf(Type type) {
  const int bits = BitsOf(type);
  return bits % 8 == 0 ? static_cast<size_t>(bits) / 8 : 0;
}

}  // namespace stowplan::kernels
