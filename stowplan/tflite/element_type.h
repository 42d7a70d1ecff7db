// SPDX-License-Identifier: Apache-2.0
//
// Element types as the file numbers them, and the sizes they lead to.
#pragma once

#include <optional>

#include "stowplan/base/bytes.h"
#include "stowplan/tflite/schema_generated.h"

namespace stowplan::tflite {

// Whether the number is one of the format's element types.
bool IsKnown(schema::TensorType type);

// Bits of one element; 0 for strings, resources and variants, whose size no
// shape decides. REQUIRES: IsKnown(type).
int BitsOf(schema::TensorType type);

// Bytes of `elements` elements. Those of less than a byte are packed and the
// last byte may be filled in part. Nothing if the size does not fit in 64
// bits. REQUIRES: BitsOf(type) > 0, elements >= 0.
std::optional<Bytes> PackedBytes(schema::TensorType type, int64_t elements);

}  // namespace stowplan::tflite
