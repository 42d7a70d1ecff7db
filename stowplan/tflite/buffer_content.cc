// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/buffer_content.h"

namespace stowplan::tflite {

bool IsOutside(const schema::Buffer& buffer) {
  const bool inside = buffer.data() != nullptr && buffer.data()->size() > 0;
  return !inside && buffer.offset() > 1 && buffer.size() > 0;
}

std::span<const std::byte> ContentOf(std::span<const std::byte> file,
                                     const schema::Buffer& buffer) {
  if (IsOutside(buffer)) {
    return file.subspan(buffer.offset(), buffer.size());
  }
  if (buffer.data() == nullptr) return {};
  return std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size()));
}

}  // namespace stowplan::tflite
