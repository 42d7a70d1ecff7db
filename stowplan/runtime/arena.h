// SPDX-License-Identifier: Apache-2.0
//
// One aligned block of memory, of its own or given by the caller.
//
//   Commit(100)   [##########]                from the heap: just what is asked
//   Commit(60)    [######----]  kKeep         nothing moves, nothing is freed
//                 [######]      kShrink       the rest goes back
//   Commit(200)   the old block is freed first: what lies in an arena between
//                 two plans means nothing, so old and new never coexist
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"

namespace stowplan::runtime {

enum class Shrink {
  kKeep,    // A smaller plan leaves the block as it is.
  kShrink,  // A smaller plan gives the rest back.
};

class Arena {
 public:
  static constexpr size_t kAlignment = 64;

  // `name` appears in errors ("arena", "persistent memory").
  explicit Arena(std::string_view name) : name_(name) {}
  // In the caller's memory, which must outlive this object. Its beginning is
  // rounded up to the alignment.
  Arena(std::string_view name, std::span<std::byte> memory);
  ~Arena() { Release(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Makes at least `size` bytes available; their content is undefined. Errors
  // (kIo) say how many bytes are missing; the arena is then empty.
  // REQUIRES: size >= 0.
  Status Commit(Bytes size, Shrink shrink);
  // Gives all memory back (the caller's is only forgotten until the next
  // Commit).
  void Release();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  // What Commit asked for.
  Bytes size() const { return size_; }
  // What is held, between size() and the largest ever asked for.
  Bytes capacity() const { return capacity_; }
  // The most that was ever asked for.
  Bytes high_water() const { return high_water_; }
  bool is_given() const { return given_.data() != nullptr; }

 private:
  std::string_view name_;
  std::span<std::byte> given_;
  std::byte* data_ = nullptr;
  Bytes size_ = 0;
  Bytes capacity_ = 0;
  Bytes high_water_ = 0;
};

}  // namespace stowplan::runtime
