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

// The part of `memory` that begins at a multiple of 64; maybe nothing.
std::span<std::byte> AlignedPart(std::span<std::byte> memory);
// Its size; negative where the memory ends before that multiple, so that what
// is wanted less this is what is missing.
Bytes AlignedBytes(std::span<const std::byte> memory);

// There is not enough memory: "it needs 256 bytes, 192 more than there are".
// The second number is what would have been enough more.
tl::unexpected<Error> OutOfMemory(std::string_view name, Bytes wanted,
                                  Bytes there);

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
  // rounded up to the alignment. Memory that has an address but no bytes is
  // given too: nothing is taken from the heap then.
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
  // From the next Commit on, memory of the caller, or of the heap again where
  // `memory` has no address. Releases what is held.
  void Use(std::span<std::byte> memory);

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
