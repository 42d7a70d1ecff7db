// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/arena.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "stowplan/base/checked_math.h"

namespace stowplan::runtime {

Bytes AlignedBytes(std::span<const std::byte> memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  const size_t skip =
      (Arena::kAlignment - address % Arena::kAlignment) % Arena::kAlignment;
  return static_cast<Bytes>(memory.size()) - static_cast<Bytes>(skip);
}

std::span<std::byte> AlignedPart(std::span<std::byte> memory) {
  const Bytes bytes = AlignedBytes(memory);
  return bytes <= 0 ? memory.first(0) : memory.last(static_cast<size_t>(bytes));
}

tl::unexpected<Error> OutOfMemory(std::string_view name, Bytes wanted,
                                  Bytes there) {
  return tl::unexpected(
      Error{ErrorKind::kIo, std::string(name),
            "it needs " + std::to_string(wanted) + " bytes, " +
                std::to_string(wanted - there) + " more than there are",
            "give it more memory, or plan for smaller inputs"});
}

Arena::Arena(std::string_view name, std::span<std::byte> memory)
    : name_(name), given_(memory) {}

Status Arena::Commit(Bytes size, Shrink shrink) {
  high_water_ = std::max(high_water_, size);
  if (is_given()) {
    const Bytes there = AlignedBytes(given_);
    if (size > 0 && size > there) {
      Release();
      return OutOfMemory(name_, size, there);
    }
    data_ = AlignedPart(given_).data();
    capacity_ = std::max<Bytes>(there, 0);
    size_ = size;
    return {};
  }
  const bool fits = size <= capacity_;
  if (!fits || (shrink == Shrink::kShrink && size < capacity_)) Release();
  if (data_ == nullptr && size > 0) {
    const auto rounded = CheckedAlignUp(size, kAlignment);
    void* block =
        rounded ? std::aligned_alloc(kAlignment, static_cast<size_t>(*rounded))
                : nullptr;
    if (block == nullptr) return OutOfMemory(name_, size, 0);
    data_ = static_cast<std::byte*>(block);
    capacity_ = *rounded;
  }
  size_ = size;
  return {};
}

void Arena::Use(std::span<std::byte> memory) {
  Release();
  given_ = memory;
}

void Arena::Release() {
  if (!is_given()) std::free(data_);
  data_ = nullptr;
  size_ = 0;
  capacity_ = 0;
}

}  // namespace stowplan::runtime
