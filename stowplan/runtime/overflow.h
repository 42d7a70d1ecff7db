// SPDX-License-Identifier: Apache-2.0
//
// Memory for tensors whose size only the data decides. Bounded; it grows by a
// block at a time when it must, and every growth is counted.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/error.h"

namespace stowplan::runtime {

class Overflow {
 public:
  explicit Overflow(Bytes limit) : limit_(limit) {}

  // At the start of a run: everything is free again. Blocks are joined to one
  // so that the same run does not grow it a second time.
  void Restart();

  // `size` bytes at a multiple of 64, valid until Restart. Errors (kIo) name
  // `what` and the limit. REQUIRES: size >= 0.
  Result<std::byte*> Take(Bytes size, const std::string& what);

  // Gives all memory back.
  void Release();

  Bytes limit() const { return limit_; }
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

  // Adds a block of at least `size` bytes; false if there is no memory.
  bool Grow(Bytes size);

  Bytes limit_;
  std::vector<Block> blocks_;
  Bytes room_ = 0;  // In the last block.
  Bytes next_ = 0;  // Offset in the last block.
  Bytes capacity_ = 0;
  Bytes used_ = 0;
  Bytes high_water_ = 0;
  int64_t growths_ = 0;
};

}  // namespace stowplan::runtime
