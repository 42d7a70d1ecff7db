// SPDX-License-Identifier: Apache-2.0
//
// A heap in one block, for a program that has no other: caller_memory.cc
// serves the global operator new from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stowplan::embedding {

// From now on; before it there is no memory at all.
void UseBlock(std::span<std::byte> block);

struct BlockUse {
  size_t held = 0;    // At the moment, headers included.
  size_t peak = 0;    // The most that was.
  int64_t calls = 0;  // Of operator new.
};
BlockUse UseOfBlock();

}  // namespace stowplan::embedding
