// SPDX-License-Identifier: Apache-2.0
//
// Memory for tensors whose size only the data decides. Bounded. From the heap
// it grows by a block at a time when it must, and every growth is counted; in
// the caller's memory it never grows.
//
//   run 1   [a b][c     ][d ]   three blocks, since nobody knew
//   run 2   [a b c d      ]     joined by Restart: the same run fits in one
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"

namespace stowplan::runtime {

class Overflow {
 public:
  // `limit` bounds what tensors hold at a time. What is held for them can be
  // more by the unused rest of one block.
  explicit Overflow(Bytes limit) : limit_(limit) {}

  // Memory of the caller, or of the heap again where it has no address.
  // Releases what is held.
  void Use(std::span<std::byte> memory);

  // At the start of a run: everything is free again. Blocks are joined to one
  // so that the same run does not grow it a second time.
  void Restart();

  // `size` bytes at a multiple of 64, valid until Restart. Errors (kIo) name
  // `what` and how many bytes are missing. REQUIRES: size >= 0.
  Result<std::byte*> Take(Bytes size, const std::string& what);

  // Gives all memory back.
  void Release();

  // The bytes that tensors may hold: the limit, or less where the caller's
  // memory has less.
  Bytes limit() const;
  // Held at the moment, and taken since Restart.
  Bytes capacity() const { return capacity_; }
  Bytes used() const { return used_; }
  Bytes high_water() const { return high_water_; }
  int64_t growths() const { return growths_; }

 private:
  struct Free {
    void operator()(std::byte* block) const;
  };
  using Block = std::unique_ptr<std::byte, Free>;

  // Adds a block of `size` bytes; false if there is no memory.
  bool Grow(Bytes size);
  void ForgetBlocks();
  void ForgetLast();
  // Why `size` bytes, rounded up, do not fit.
  std::string TooFew(Bytes size, std::optional<Bytes> rounded) const;

  Bytes limit_;
  std::span<std::byte> given_;
  std::byte* last_ = nullptr;  // The block to take from.
  std::vector<Block> blocks_;
  Bytes room_ = 0;  // In the last block.
  Bytes next_ = 0;  // Offset in the last block.
  Bytes capacity_ = 0;
  Bytes used_ = 0;
  Bytes high_water_ = 0;
  int64_t growths_ = 0;
};

}  // namespace stowplan::runtime
