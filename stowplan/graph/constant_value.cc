// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/constant_value.h"

#include "stowplan/base/checked_math.h"

namespace stowplan::graph {
namespace {

bool IsSigned(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 ||
         dtype == DType::kInt32 || dtype == DType::kInt64;
}

size_t WidthOf(DType dtype) { return static_cast<size_t>(BitsOf(dtype)) / 8; }

std::optional<int64_t> Decode(DType dtype, std::span<const std::byte> bytes) {
  uint64_t bits = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    bits = bits << 8 | std::to_integer<uint64_t>(bytes[i]);
  }
  if (bytes.size() == 8) {
    const auto value = static_cast<int64_t>(bits);
    if (value < 0 && !IsSigned(dtype)) return std::nullopt;
    return value;
  }
  const auto unused = static_cast<unsigned>(64 - 8 * bytes.size());
  if (!IsSigned(dtype)) return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

bool HoldsIntegers(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
      return true;
    default:
      return false;
  }
}

bool FitsType(DType dtype, int64_t value) {
  if (dtype == DType::kBool) return value == 0 || value == 1;
  if (!IsSigned(dtype) && value < 0) return false;
  const int bits = BitsOf(dtype) - (IsSigned(dtype) ? 1 : 0);
  if (bits >= 63) return true;
  const int64_t limit = int64_t{1} << bits;
  return value < limit && value >= -limit;
}

std::optional<std::vector<int64_t>> IntegersOf(const Tensor& tensor) {
  if (!tensor.constant || tensor.sparse || !tensor.shape) return std::nullopt;
  if (!HoldsIntegers(tensor.dtype)) return std::nullopt;
  const std::optional<int64_t> elements = CheckedProduct(*tensor.shape);
  if (!elements || *elements > kMaxValueElements) return std::nullopt;
  const size_t width = WidthOf(tensor.dtype);
  const auto count = static_cast<size_t>(*elements);
  if (tensor.data.size() != count * width) return std::nullopt;
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    const std::optional<int64_t> value =
        Decode(tensor.dtype, tensor.data.subspan(i * width, width));
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  return values;
}

std::optional<std::vector<std::byte>> BytesOfIntegers(
    DType dtype, std::span<const int64_t> values) {
  if (!HoldsIntegers(dtype)) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(values.size() * WidthOf(dtype));
  for (int64_t value : values) {
    if (!FitsType(dtype, value)) return std::nullopt;
    auto bits = static_cast<uint64_t>(value);
    for (size_t i = 0; i < WidthOf(dtype); ++i, bits >>= 8) {
      bytes.push_back(static_cast<std::byte>(bits & 0xFF));
    }
  }
  return bytes;
}

}  // namespace stowplan::graph
