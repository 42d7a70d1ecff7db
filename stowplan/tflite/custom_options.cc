// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/custom_options.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "flatbuffers/flexbuffers.h"

namespace stowplan::tflite {
namespace {

constexpr size_t kMostBytes = size_t{64} << 10;

std::optional<OptionValue> ValueOf(flexbuffers::Reference value) {
  if (value.IsBool()) return value.AsBool();
  if (value.IsInt()) return value.AsInt64();
  if (value.IsUInt() &&
      value.AsUInt64() <= uint64_t{std::numeric_limits<int64_t>::max()}) {
    return static_cast<int64_t>(value.AsUInt64());
  }
  if (value.IsFloat()) return value.AsDouble();
  if (value.IsString()) {
    const flexbuffers::String text = value.AsString();
    return std::string(text.c_str(), text.length());
  }
  return std::nullopt;
}

}  // namespace

std::vector<Option> ReadCustomOptions(std::span<const std::byte> content) {
  std::vector<Option> options;
  if (content.empty() || content.size() > kMostBytes) return options;
  // A copy, since numbers in it are aligned to its own begin only.
  std::vector<uint8_t> bytes(content.size());
  std::memcpy(bytes.data(), content.data(), content.size());
  std::vector<uint8_t> reuse_tracker;
  if (!flexbuffers::VerifyBuffer(bytes.data(), bytes.size(), &reuse_tracker)) {
    return options;
  }
  const flexbuffers::Reference root =
      flexbuffers::GetRoot(bytes.data(), bytes.size());
  if (!root.IsMap()) return options;
  const flexbuffers::Map map = root.AsMap();
  const flexbuffers::TypedVector keys = map.Keys();
  const flexbuffers::Vector values = map.Values();
  for (size_t i = 0; i < keys.size() && i < values.size(); ++i) {
    if (std::optional<OptionValue> value = ValueOf(values[i])) {
      options.push_back({keys[i].AsKey(), *std::move(value)});
    }
  }
  return options;
}

}  // namespace stowplan::tflite
