// SPDX-License-Identifier: Apache-2.0
//
// First fit over a list of free pieces in ascending order of addresses, which
// grow together again when they are given back.
#include "tests/embedding/caller_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

namespace stowplan::embedding {
namespace {

constexpr size_t kUnit = 16;  // What operator new has to align to.

// Before every piece; a multiple of what any type needs.
struct alignas(kUnit) Piece {
  size_t size = 0;  // This header included.
  Piece* next = nullptr;
};

Piece* first_free = nullptr;
BlockUse use;

std::byte* EndOf(Piece* piece) {
  return reinterpret_cast<std::byte*>(piece) + piece->size;
}

void* Take(size_t wanted) {
  ++use.calls;
  const size_t size = (wanted + sizeof(Piece) + kUnit - 1) / kUnit * kUnit;
  for (Piece** link = &first_free; *link != nullptr; link = &(*link)->next) {
    Piece* piece = *link;
    if (piece->size < size) continue;
    if (piece->size > size) {
      auto* rest = new (reinterpret_cast<std::byte*>(piece) + size) Piece;
      rest->size = piece->size - size;
      rest->next = piece->next;
      piece->size = size;
      piece->next = rest;
    }
    *link = piece->next;
    use.held += size;
    use.peak = std::max(use.peak, use.held);
    return piece + 1;
  }
  std::fprintf(stderr, "the block has no room for %zu bytes\n", wanted);
  std::abort();
}

void Give(void* memory) {
  if (memory == nullptr) return;
  Piece* piece = static_cast<Piece*>(memory) - 1;
  use.held -= piece->size;
  Piece* before = nullptr;
  Piece* after = first_free;
  while (after != nullptr && after < piece) {
    before = std::exchange(after, after->next);
  }
  piece->next = after;
  if (after != nullptr && EndOf(piece) == reinterpret_cast<std::byte*>(after)) {
    piece->size += after->size;
    piece->next = after->next;
  }
  if (before == nullptr) {
    first_free = piece;
  } else if (EndOf(before) == reinterpret_cast<std::byte*>(piece)) {
    before->size += piece->size;
    before->next = piece->next;
  } else {
    before->next = piece;
  }
}

}  // namespace

void UseBlock(std::span<std::byte> block) {
  first_free = new (block.data()) Piece;
  first_free->size = block.size() / kUnit * kUnit;
}

BlockUse UseOfBlock() { return use; }

}  // namespace stowplan::embedding

using stowplan::embedding::Give;
using stowplan::embedding::Take;

void* operator new(size_t size) { return Take(size); }
void* operator new[](size_t size) { return Take(size); }
// Sanitizers have these of their own, which do not call the others.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Take(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Take(size);
}
void operator delete(void* memory) noexcept { Give(memory); }
void operator delete[](void* memory) noexcept { Give(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  Give(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  Give(memory);
}
void operator delete(void* memory, size_t) noexcept { Give(memory); }
void operator delete[](void* memory, size_t) noexcept { Give(memory); }
