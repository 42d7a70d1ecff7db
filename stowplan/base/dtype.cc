// SPDX-License-Identifier: Apache-2.0
#include "stowplan/base/dtype.h"

#include <algorithm>
#include <array>

#include "stowplan/base/checked_math.h"

namespace stowplan {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::string_view short_name;
  int bits;
};

constexpr std::array<Row, 23> kTable = {{
    {DType::kFloat32, "float32", "f32", 32},
    {DType::kFloat16, "float16", "f16", 16},
    {DType::kInt32, "int32", "i32", 32},
    {DType::kUInt8, "uint8", "u8", 8},
    {DType::kInt64, "int64", "i64", 64},
    {DType::kString, "string", "str", 0},
    {DType::kBool, "bool", "b8", 8},
    {DType::kInt16, "int16", "i16", 16},
    {DType::kComplex64, "complex64", "c64", 64},
    {DType::kInt8, "int8", "i8", 8},
    {DType::kFloat64, "float64", "f64", 64},
    {DType::kComplex128, "complex128", "c128", 128},
    {DType::kUInt64, "uint64", "u64", 64},
    {DType::kResource, "resource", "res", 0},
    {DType::kVariant, "variant", "var", 0},
    {DType::kUInt32, "uint32", "u32", 32},
    {DType::kUInt16, "uint16", "u16", 16},
    {DType::kInt4, "int4", "i4", 4},
    {DType::kBFloat16, "bfloat16", "bf16", 16},
    {DType::kInt2, "int2", "i2", 2},
    {DType::kUInt4, "uint4", "u4", 4},
    {DType::kFloat8E4M3, "float8_e4m3fn", "f8e4m3", 8},
    {DType::kFloat8E5M2, "float8_e5m2", "f8e5m2", 8},
}};

constexpr bool InEnumOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].dtype) != i) return false;
  }
  return true;
}
static_assert(InEnumOrder());

const Row& RowOf(DType dtype) { return kTable[static_cast<size_t>(dtype)]; }

}  // namespace

int BitsOf(DType dtype) { return RowOf(dtype).bits; }

std::string_view NameOf(DType dtype) { return RowOf(dtype).name; }

std::optional<DType> DTypeFromName(std::string_view name) {
  const auto* row =
      std::find_if(kTable.begin(), kTable.end(), [&](const Row& candidate) {
        return candidate.name == name || candidate.short_name == name;
      });
  if (row == kTable.end()) return std::nullopt;
  return row->dtype;
}

std::optional<Bytes> BytesOf(DType dtype, int64_t elements) {
  const int bits = BitsOf(dtype);
  if (bits == 0 || elements < 0) return std::nullopt;
  if (bits >= 8) return CheckedMul(elements, bits / 8);
  const int per_byte = 8 / bits;
  return elements / per_byte + (elements % per_byte != 0 ? 1 : 0);
}

}  // namespace stowplan
