// SPDX-License-Identifier: Apache-2.0
//
// Element types of tensors, down to those that share a byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stowplan/base/bytes.h"

namespace stowplan {

enum class DType : uint8_t {
  kFloat32,
  kFloat16,
  kInt32,
  kUInt8,
  kInt64,
  kString,
  kBool,
  kInt16,
  kComplex64,
  kInt8,
  kFloat64,
  kComplex128,
  kUInt64,
  kResource,
  kVariant,
  kUInt32,
  kUInt16,
  kInt4,
  kBFloat16,
  kInt2,
  kUInt4,
  kFloat8E4M3,
  kFloat8E5M2,
};

// Bits of one element; 0 for strings, resources and variants, whose size no
// shape decides.
int BitsOf(DType dtype);

// The name as in documents: "float32", "int8", "int4", ...
std::string_view NameOf(DType dtype);

// The type of that name; short forms such as "f32", "i8" and "u8" are
// accepted too. Nothing for other names.
std::optional<DType> DTypeFromName(std::string_view name);

// Bytes of `elements` elements, packed: elements of less than a byte share
// bytes, and the last byte may be filled in part. Nothing if the type has no
// fixed size, `elements` is negative or the size does not fit.
std::optional<Bytes> BytesOf(DType dtype, int64_t elements);

}  // namespace stowplan
