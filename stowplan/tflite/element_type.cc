// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/element_type.h"

#include "stowplan/base/checked_math.h"

namespace stowplan::tflite {

using schema::TensorType;

bool IsKnown(TensorType type) {
  return type >= TensorType::MIN && type <= TensorType::MAX;
}

int BitsOf(TensorType type) {
  switch (type) {
    case TensorType::INT2:
      return 2;
    case TensorType::INT4:
    case TensorType::UINT4:
      return 4;
    case TensorType::BOOL:
    case TensorType::INT8:
    case TensorType::UINT8:
    case TensorType::FLOAT8_E4M3FN:
    case TensorType::FLOAT8_E5M2:
      return 8;
    case TensorType::INT16:
    case TensorType::UINT16:
    case TensorType::FLOAT16:
    case TensorType::BFLOAT16:
      return 16;
    case TensorType::INT32:
    case TensorType::UINT32:
    case TensorType::FLOAT32:
      return 32;
    case TensorType::INT64:
    case TensorType::UINT64:
    case TensorType::FLOAT64:
    case TensorType::COMPLEX64:
      return 64;
    case TensorType::COMPLEX128:
      return 128;
    case TensorType::STRING:
    case TensorType::RESOURCE:
    case TensorType::VARIANT:
      return 0;
  }
  return 0;
}

std::optional<Bytes> PackedBytes(TensorType type, int64_t elements) {
  const int64_t bits = BitsOf(type);
  if (bits >= 8) return CheckedMul(elements, bits / 8);
  // Whole bytes first: `elements * bits` need not fit where the bytes do.
  const int64_t per_byte = 8 / bits;
  return elements / per_byte + (elements % per_byte != 0 ? 1 : 0);
}

}  // namespace stowplan::tflite
