// SPDX-License-Identifier: Apache-2.0
//
// Strong 32-bit ids: an id of a tensor cannot be passed where an id of a
// buffer is wanted. They compare and print as their index but do not count.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace stowplan {

// `Tag` is any type, complete or not, that names the kind of thing.
template <class Tag>
class Id {
 public:
  // An id that names nothing; `valid()` is false.
  constexpr Id() = default;
  // REQUIRES: index >= 0.
  explicit constexpr Id(int32_t index) : index_(index) {}
  // REQUIRES: index < 2^31.
  static constexpr Id FromIndex(size_t index) {
    return Id(static_cast<int32_t>(index));
  }

  constexpr bool valid() const { return index_ >= 0; }
  // REQUIRES: valid().
  constexpr size_t index() const { return static_cast<size_t>(index_); }
  // The index, or -1 for an id that names nothing.
  constexpr int32_t value() const { return index_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  int32_t index_ = -1;
};

}  // namespace stowplan

template <class Tag>
struct std::hash<stowplan::Id<Tag>> {
  size_t operator()(stowplan::Id<Tag> id) const noexcept {
    return std::hash<int32_t>()(id.value());
  }
};
